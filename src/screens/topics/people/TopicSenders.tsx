import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Topic } from '../../../shared/contract';
import type { Addressee } from '../../../state/messages/composing';
import {
  changeSenders,
  readSenders,
  SENDERS_CHANGE_FAILED,
  SENDERS_FAILED,
  type SenderIds,
} from '../../../state/topics/senders';
import { Icon } from '../../../ui/Icon';
import { lazy } from '../../../ui/lazy';
import { MoreMenu } from '../../../ui/MoreMenu';
import { notify } from '../../../ui/notices';
import { Empty, Failure, Skeleton, useKeepFocus } from '../../../ui/page';
import { offerUndo } from '../../../ui/undo';
import { Initials } from '../../../ui/values/Initials';
import { TeamMark } from '../../../ui/values/TeamMark';
import { useLoad } from '../../lists/use-load';
import { notifyIfFailed } from '../../lists/notify-if-failed';

const AddDialog = lazy(() =>
  import('../../selection/AddDialog').then((module) => module.AddDialog),
);

const groupIds = (picked: readonly Pick<Addressee, 'kind' | 'id'>[]): SenderIds => ({
  userIds: picked.filter(({ kind }) => kind === 'person').map(({ id }) => id),
  teamIds: picked.filter(({ kind }) => kind === 'team').map(({ id }) => id),
});

/** Who may send to a topic without being an administrator. */
export function TopicSenders({ topic: { id, title } }: { topic: Topic }) {
  const { value: senders, failure, reload, retry } = useLoad(id, readSenders, SENDERS_FAILED);
  const [adding, setAdding] = useState(false);
  useKeepFocus(senders);
  const changeAndNotify = (by: 'add' | 'remove', ids: SenderIds) =>
    notifyIfFailed(changeSenders(by, id, ids), SENDERS_CHANGE_FAILED, reload);
  async function removeSender(kind: 'person' | 'team', sender: { id: number; name: string }) {
    const ids = groupIds([{ kind, id: sender.id }]);
    if (await changeAndNotify('remove', ids))
      offerUndo(
        `${sender.name} was removed from the senders of ${title}.`,
        () => void changeAndNotify('add', ids),
        'ok',
      );
  }
  return (
    <section aria-labelledby="senders">
      <div className="bar">
        <h2 id="senders">Who may send</h2>
        <button type="button" className="plain" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Add senders
        </button>
      </div>
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!senders && !failure && <Skeleton />}
      {senders && senders.users.length + senders.teams.length === 0 && (
        <Empty>Only administrators can send to this topic.</Empty>
      )}
      {senders && senders.users.length + senders.teams.length > 0 && (
        <ul className="panel rows">
          {senders.users.map((user) => (
            <SenderRow
              key={`person${user.id}`}
              name={user.username}
              mark={<Initials name={user.username} />}
              detail="This person may send"
              onRemove={() => void removeSender('person', { id: user.id, name: user.username })}
            />
          ))}
          {senders.teams.map((team) => (
            <SenderRow
              key={`team${team.id}`}
              name={team.name}
              mark={<TeamMark />}
              detail="Everyone in this team may send"
              onRemove={() => void removeSender('team', team)}
            >
              <li>
                <Link href={`/admin/teams/${team.id}`}>
                  <Icon name="team" />
                  Open team
                </Link>
              </li>
            </SenderRow>
          ))}
        </ul>
      )}
      <small>
        Administrators can always send. Senders can see this topic’s people and answers, but not
        email addresses or other topics.
      </small>
      {adding && (
        <AddDialog
          title={
            <>
              Add senders to <bdi>{title}</bdi>
            </>
          }
          label="Add a person or a team"
          kinds={['team', 'person']}
          failed={SENDERS_CHANGE_FAILED}
          submit={async (picked) => {
            await changeSenders('add', id, groupIds(picked));
            reload();
            notify('Senders added.');
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}

const SenderRow = ({
  name,
  mark,
  detail,
  onRemove,
  children,
}: {
  name: string;
  mark: ReactNode;
  detail: string;
  onRemove: () => void;
  /** More actions of the sender, as `<li>` elements. */
  children?: ReactNode;
}) => (
  <li>
    <div>
      {mark}
      <span>
        <b>
          <bdi>{name}</bdi>
        </b>{' '}
        <span>{detail}</span>
      </span>
      <MoreMenu itemName={`${name} as sender`}>
        {children}
        <li className="last">
          <button type="button" className="quiet" onClick={onRemove}>
            <Icon name="x" />
            Remove sender
          </button>
        </li>
      </MoreMenu>
    </div>
  </li>
);
