import { useState } from 'react';
import { Link } from 'wouter';
import type { Team } from '../../shared/contract';
import { attemptAll } from '../../state/attempt-all';
import { changeTopicTeams, TEAM_SUBSCRIPTION_FAILED } from '../../state/teams/team-topics';
import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { MoreMenu } from '../../ui/MoreMenu';
import { notify } from '../../ui/notices';
import { ClientPager } from '../../ui/lists/ClientPager';
import { countedNoun } from '../../ui/lists/Pager';
import { offerUndo } from '../../ui/undo';
import { notifyIfFailed } from '../lists/notify-if-failed';

const PickDialog = lazy(() =>
  import('../selection/PickDialog').then((module) => module.PickDialog),
);

const subscribedText = (members: number): string =>
  members === 0
    ? 'No members yet'
    : members === 1
      ? '1 person is subscribed'
      : `All ${countedNoun(members, 'person')} are subscribed`;

/** The topics that a team's members are subscribed to. */
export function TeamTopics({ team, onChange }: { team: Team; onChange: () => void }) {
  const { id, name, members, topics } = team;
  const [adding, setAdding] = useState(false);
  const changeTopic = (by: 'subscribe' | 'unsubscribe', topicId: number) =>
    notifyIfFailed(changeTopicTeams(by, topicId, [id]), TEAM_SUBSCRIPTION_FAILED[by], onChange);
  async function removeTopic(topic: Team['topics'][number]) {
    if (await changeTopic('unsubscribe', topic.id))
      offerUndo(
        `${name} unsubscribed from ${topic.title}.`,
        () => void changeTopic('subscribe', topic.id),
        'ok',
      );
  }
  async function addTopics(topicIds: readonly number[]) {
    const { failed, firstError } = await attemptAll(topicIds, (topicId) =>
      changeTopicTeams('subscribe', topicId, [id]),
    );
    onChange();
    if (failed.length > 0) throw firstError;
    notify(`${name} subscribed to ${countedNoun(topicIds.length, 'topic')}.`);
  }
  const addButton = (
    <button type="button" className="plain" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      Add topics
    </button>
  );
  return (
    <section aria-labelledby="topics">
      <div className="bar">
        <h2 id="topics">Topics ({topics.length.toLocaleString()})</h2>
        {topics.length > 0 && addButton}
      </div>
      {topics.length === 0 && (
        <EmptyList
          icon="tag"
          title="No topics yet"
          hint="This team isn’t subscribed to any topic yet."
        >
          {addButton}
        </EmptyList>
      )}
      {topics.length > 0 && (
        <ClientPager rows={topics} noun="topic">
          {(rows) => (
            <ul className="panel rows">
              {rows.map((topic) => (
                <li key={topic.id}>
                  <div>
                    <span className="who" aria-hidden="true">
                      <Icon name="tag" />
                    </span>
                    <span>
                      <b>
                        <bdi>{topic.title}</bdi>
                      </b>{' '}
                      <span>{subscribedText(members)}</span>
                    </span>
                    <MoreMenu itemName={topic.title}>
                      <li>
                        <Link href={`/admin/topics/${topic.id}`}>
                          <Icon name="people" />
                          See who’s subscribed
                        </Link>
                      </li>
                      <li className="last">
                        <button
                          type="button"
                          className="quiet"
                          onClick={() => void removeTopic(topic)}
                        >
                          <Icon name="x" />
                          Remove from team
                        </button>
                      </li>
                    </MoreMenu>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </ClientPager>
      )}
      <div className="note line">
        <Icon name="team" />
        <span>
          New members are subscribed to these topics right away. They’re unsubscribed when they
          leave, unless you also subscribed them by name.
        </span>
      </div>
      {adding && (
        <PickDialog
          title={
            <>
              Add topics to <bdi>{name}</bdi>
            </>
          }
          noun="topic"
          read={async () => {
            const allTopics = await readAllTopics();
            return allTopics.filter(
              (availableTopic) => !topics.some((topic) => topic.id === availableTopic.id),
            );
          }}
          readFailed={TOPICS_FAILED}
          empty="There are no more topics."
          action="Add topics"
          busyText="Adding…"
          submit={addTopics}
          submitFailed={TEAM_SUBSCRIPTION_FAILED.subscribe}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}
