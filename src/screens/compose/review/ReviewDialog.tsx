import type { Audience, Priority } from '../../../shared/contract';
import { UNDO_SECONDS } from '../../../state/messages/needs-review';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { countedNoun } from '../../../ui/lists/Pager';
import { sendText } from '../SendBar';
import { PRIORITIES } from '../options/PriorityField';

export interface ReviewedMessage {
  /** Names of topics and people. */
  audienceNames: readonly string[];
  title: string;
  message: string;
  priority: Priority;
  /** The text of a later time, such as `Tomorrow 06:00`. Empty text means now. */
  sendTimeText: string;
}

/** Confirms before a message disturbs many people, or urgently. */
export function ReviewDialog({
  reviewedMessage: { audienceNames, title, message, priority, sendTimeText },
  policy,
  canUndo = false,
  audience,
  onSend,
  onClose,
}: {
  reviewedMessage: ReviewedMessage;
  /** The message's escalation policy, if the app knows the policy. */
  policy?: string;
  /** Whether the sender has some seconds to undo a message that is sent now. */
  canUndo?: boolean;
  /** Undefined if the server could not count the audience. */
  audience: Audience | undefined;
  onSend: () => void;
  onClose: () => void;
}) {
  const lines: (readonly [string, string])[] = [
    [
      'Recipients',
      audience
        ? `${audienceNames.join(', ')}: ${recipients(audience)}`
        : `${audienceNames.join(', ')}. We couldn’t count the recipients, but you can still send the message.`,
    ],
    ['Title', title],
    ['Message', message],
    ['Priority', PRIORITIES.find(([key]) => key === priority)?.[1] ?? priority],
    ...(policy === undefined ? [] : [['Escalation', policy] as const]),
    [
      'When',
      sendTimeText || (canUndo ? `Now. You can undo this for ${UNDO_SECONDS} seconds.` : 'Now'),
    ],
  ];
  return (
    <DialogForm
      title="Review before sending"
      action={
        audience
          ? sendText(audience, sendTimeText !== '')
          : sendTimeText
            ? 'Schedule anyway'
            : 'Send anyway'
      }
      busyText="Sending…"
      danger={priority === 'urgent'}
      submit={async () => onSend()}
      explain={String}
      onClose={onClose}
    >
      <ul className="panel rows">
        {lines.map(([label, text]) => (
          <li key={label}>
            <div>
              <span>
                <b>{label}</b>{' '}
                <span>
                  <bdi className="lines">{text}</bdi>
                </span>
              </span>
            </div>
          </li>
        ))}
      </ul>
    </DialogForm>
  );
}

/** Counts the recipients: `214 people, 12 won’t be notified`. */
function recipients({ people, muted, unreachable, held }: Audience): string {
  const missedCount = muted + unreachable;
  return [
    countedNoun(people, 'person'),
    held > 0 && `${held.toLocaleString()} will be notified after quiet hours`,
    missedCount > 0 && `${missedCount.toLocaleString()} won’t be notified`,
  ]
    .filter(Boolean)
    .join(', ');
}
