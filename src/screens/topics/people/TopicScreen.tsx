import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { addressComposed } from '../../../state/messages/composing';
import { readTopic, TOPIC_FAILED } from '../../../state/topics/topics';
import { Icon, type IconName } from '../../../ui/Icon';
import { lazy } from '../../../ui/lazy';
import { MoreMenu } from '../../../ui/MoreMenu';
import { Failure, Skeleton, useKeepFocus } from '../../../ui/page';
import { useLoad } from '../../lists/use-load';
import { TopicSenders } from './TopicSenders';
import { TopicHeader, topicsAddress } from '../TopicHeader';
import { TopicPeople } from './TopicPeople';
import { SubscribedTeams } from './SubscribedTeams';

const Dialogs = lazy(() => import('../TopicDialogs').then((module) => module.TopicDialogs));

const MORE_ACTIONS = [
  ['edit', 'Edit', 'edit'],
  ['delete', 'Delete', 'x'],
] as const satisfies readonly (readonly [string, string, IconName])[];

/** One topic: the people who get its messages, and the people who may send messages. */
export function TopicScreen() {
  const { topicId = '' } = useParams<{ topicId: string }>();
  const { value: topic, failure, reload, retry } = useLoad(topicId, readTopic, TOPIC_FAILED);
  const [open, setOpen] = useState<(typeof MORE_ACTIONS)[number][0]>();
  // Leaving a team changes the list of people.
  const [change, setChange] = useState(0);
  const [, navigate] = useLocation();
  useKeepFocus(topic === undefined);
  return (
    <>
      <TopicHeader topicId={topicId} title={topic?.title} view="People">
        {topic && (
          <>
            <Link
              className="press"
              href="/admin/messages/new"
              onClick={() => addressComposed({ kind: 'topic', id: topic.id, name: topic.title })}
            >
              <Icon name="send" />
              Send notification
            </Link>
            <MoreMenu itemName={topic.title}>
              {MORE_ACTIONS.map(([name, word, icon]) => (
                <li key={name} className={name === 'delete' ? 'last' : undefined}>
                  <button type="button" className="quiet" onClick={() => setOpen(name)}>
                    <Icon name={icon} />
                    {word}
                  </button>
                </li>
              ))}
            </MoreMenu>
          </>
        )}
      </TopicHeader>
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!topic && !failure && <Skeleton />}
      {topic && (
        <>
          <p className="muted">
            <bdi>{topic.description}</bdi>
          </p>
          <div className="twin">
            <div>
              <SubscribedTeams topic={topic} onChange={() => setChange(change + 1)} />
              <TopicPeople topic={topic} change={change} />
            </div>
            <TopicSenders topic={topic} />
          </div>
        </>
      )}
      {topic && open && (
        <Dialogs
          open={{ dialog: open, topic }}
          onClose={() => setOpen(undefined)}
          onDone={() => (open === 'delete' ? navigate(topicsAddress()) : reload())}
        />
      )}
    </>
  );
}
