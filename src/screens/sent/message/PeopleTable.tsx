import { useCallback, useState, type ReactNode } from 'react';
import type { SentMessage } from '../../../shared/contract';
import { isUnseenFilter } from '../../../shared/recipient-states';
import { getMessageArea } from '../../../state/messages/call-area';
import type { RecipientGroup, SeenRecipient } from '../../../state/messages/sent-messages';
import { copyText } from '../../../ui/clipboard';
import { parseTime } from '../../../ui/values/Day';
import { Initials } from '../../../ui/values/Initials';
import { Moment } from '../../../ui/values/When';
import { GradualRows } from '../../../ui/lists/GradualRows';
import { lazy } from '../../../ui/lazy';
import { notify } from '../../../ui/notices';
import { getRegistrationLink } from '../../users/user-filters';
import { textOrNothing } from '../message-texts';
import { answerTone } from '../../../state/inbox/answer-tone';
import { canNotifyAgain, mayChangeMessage } from './allowed-changes';
import { LazyLanguages, Revisions } from './MessageText';
import { NotifyAgain } from './NotifyAgain';
import { canBeNotified, needsAdvice, describeRecipientState } from './recipient-texts';
import { TableHead } from '../../../ui/lists/TableHead';

/** The dialog loads on demand, because most browsers let the app copy. */
const ManualCopyDialog = lazy(() =>
  import('../../lists/ManualCopyDialog').then((module) => module.ManualCopyDialog),
);
const RegistrationLink = lazy(() =>
  import('../../users/RegistrationLink').then((module) => module.RegistrationLink),
);

type Person = NonNullable<SeenRecipient['user']>;
type Contact = ((person: Person) => ReactNode) | undefined;
type Uncopied = { kind: 'link'; user: Person } | { kind: 'advice'; text: string };

/** The heading `Answered` or the answer itself says the state of these people. */
const hasStateColumn = (group: RecipientGroup): boolean => group !== 'answered';

/** Their people all have the same reason, which is said once. */
const GROUPS_WITH_ONE_REASON: readonly RecipientGroup[] = ['accepted', 'displayed', 'read'];

/** A page of people: how far the message got, why, and what to do. */
export function PeopleTable({
  message,
  group,
  rows,
  contact,
  onDone,
}: {
  message: SentMessage;
  group: RecipientGroup;
  rows: readonly SeenRecipient[];
  /** How to contact a person, if that is what to do. */
  contact?: Contact;
  /** Called after an action on a person. */
  onDone: () => void;
}) {
  const [manualCopy, setManualCopy] = useState<Uncopied>();
  const close = () => setManualCopy(undefined);
  const [firstRow] = rows;
  const why = GROUPS_WITH_ONE_REASON.includes(group) ? '' : group === 'answered' ? 'Answer' : 'Why';
  const commonReason = !why && firstRow ? describeRecipientState(firstRow, message).why : '-';
  const draw = useCallback(
    (row: SeenRecipient, index: number) => (
      <RecipientRow
        key={row.user?.id ?? `removed ${index}`}
        row={row}
        message={message}
        group={group}
        whyTitle={why}
        contact={contact}
        onUncopied={setManualCopy}
        onDone={onDone}
      />
    ),
    [message, group, why, contact, onDone],
  );
  return (
    <>
      {commonReason !== '-' && (
        <p>
          <small>{commonReason}</small>
        </p>
      )}
      <div className="panel scroll">
        <table className="dense">
          <TableHead
            columns={['Username', hasStateColumn(group) ? 'State' : '', why, 'Since'].filter(
              Boolean,
            )}
            actions={mayChangeMessage(message) && 'What to do'}
          />
          <tbody>
            <GradualRows rows={rows} draw={draw} />
          </tbody>
        </table>
      </div>
      {manualCopy?.kind === 'link' && <RegistrationLink user={manualCopy.user} onClose={close} />}
      {manualCopy?.kind === 'advice' && (
        <ManualCopyDialog title="Advice" text={manualCopy.text} onClose={close}>
          Copy the selected advice.
        </ManualCopyDialog>
      )}
    </>
  );
}

function RecipientRow({
  row,
  message,
  group,
  whyTitle,
  contact,
  onUncopied,
  onDone,
}: {
  row: SeenRecipient;
  message: SentMessage;
  group: RecipientGroup;
  /** The heading of the column with the reason or the answer; empty without such a column. */
  whyTitle: string;
  contact: Contact;
  onUncopied: (what: Uncopied) => void;
  onDone: () => void;
}) {
  const { user } = row;
  const { shown, name, why, tone } = describeRecipientState(row, message, group);
  const since = parseTime(row.acknowledgedAt ?? row.readAt ?? row.displayedAt ?? message.sendAt);
  const link = user && getRegistrationLink(user);
  const revisions = <Revisions row={row} message={message} />;
  async function copyLink() {
    if (!user || !link) return;
    if (await copyText(link)) notify(`Registration link for ${user.username} copied.`);
    else onUncopied({ kind: 'link', user });
  }
  async function copyAdvice({ username }: Person) {
    try {
      const { adviceForDevice } = await import('../../reach/device-advice'); // with what every make needs
      const text = adviceForDevice(undefined);
      if (await copyText(text)) notify(`Advice for ${username} copied.`);
      else onUncopied({ kind: 'advice', text });
    } catch {
      notify('The advice couldn’t be loaded.', 'bad');
    }
  }
  return (
    <tr>
      <th scope="row">
        {user ? (
          <>
            <Initials name={user.username} />
            <bdi>{user.username}</bdi>
            {row.language && (
              <>
                {' '}
                <small className="muted">
                  <LazyLanguages message={message} code={row.language} />
                </small>
              </>
            )}
          </>
        ) : (
          <span className="muted">deleted user</span>
        )}
      </th>
      {hasStateColumn(group) && (
        <td data-label="State">
          <span className="chip" data-state={shown} data-tone={tone}>
            <bdi>{name}</bdi>
          </span>
          {!whyTitle && revisions}
        </td>
      )}
      {whyTitle && (
        <td data-label={whyTitle} className="bare full">
          <span data-tone={answerTone(textOrNothing(row.answer), message)}>
            <bdi>{why}</bdi>
          </span>
          {row.comment && (
            <div>
              <small className="lines">
                <bdi>{row.comment}</bdi>
              </small>
            </div>
          )}
          {revisions}
        </td>
      )}
      <td data-label="Since" className="bare">
        <span>
          <Moment time={since} />
        </span>
      </td>
      {mayChangeMessage(message) && (
        <td className="actions">
          {user && contact?.(user)}
          {link && (
            <button
              type="button"
              className="quiet"
              aria-label={`Copy link for ${user.username}`}
              onClick={() => void copyLink()}
            >
              Copy link
            </button>
          )}
          {user && needsAdvice(row) && getMessageArea(message) === 'admin' && (
            <button
              type="button"
              className="quiet"
              aria-label={`Copy advice for ${user.username}`}
              onClick={() => void copyAdvice(user)}
            >
              Copy advice
            </button>
          )}
          {user && canBeNotified(row, message, group) && canNotifyAgain(message, group) && (
            <NotifyAgain
              message={message}
              user={user}
              state={isUnseenFilter(group) && group}
              onDone={onDone}
            >
              Notify again
            </NotifyAgain>
          )}
        </td>
      )}
    </tr>
  );
}
