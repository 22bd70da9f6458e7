import type { ReactNode } from 'react';
import type { Audience, Priority } from '../../../shared/contract';
import { UNDO_SECONDS } from '../../../state/messages/needs-review';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { Icon } from '../../../ui/Icon';
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
  const missedCount = audience ? audience.muted + audience.unreachable : 0;
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
        <ReviewRow label="Recipients">
          <bdi>
            {audience
              ? `${audienceNames.join(', ')}: ${recipients(audience)}`
              : `${audienceNames.join(', ')}. We couldn’t count the recipients, but you can still send the message.`}
          </bdi>
          {missedCount > 0 && (
            <>
              {' '}
              <span className="chip" data-tone="bad">
                {`${missedCount.toLocaleString()} won’t be notified`}
              </span>
            </>
          )}
        </ReviewRow>
        {/* The only topic's title is above already. */}
        {title !== audienceNames.join(', ') && (
          <ReviewRow label="Title">
            <bdi>{title}</bdi>
          </ReviewRow>
        )}
        <ReviewRow label="Message">
          <bdi className="lines">{message}</bdi>
        </ReviewRow>
        <ReviewRow label="Priority">
          <span className={priority === 'urgent' ? 'chip solid' : undefined}>
            {priority === 'urgent' && <Icon name="alert" />}
            {PRIORITIES.find(([key]) => key === priority)?.[1] ?? priority}
          </span>
        </ReviewRow>
        {policy !== undefined && (
          <ReviewRow label="Escalation">
            <bdi>{policy}</bdi>
          </ReviewRow>
        )}
        <ReviewRow label="When">
          {sendTimeText ||
            (canUndo ? `Now. You can undo this for ${UNDO_SECONDS} seconds.` : 'Now')}
        </ReviewRow>
      </ul>
    </DialogForm>
  );
}

const ReviewRow = ({ label, children }: { label: string; children: ReactNode }) => (
  <li>
    <div>
      <span>
        <b>{label}</b> <span>{children}</span>
      </span>
    </div>
  </li>
);

/** Counts the recipients: `214 people, 12 will be notified after quiet hours`. */
function recipients({ people, held }: Audience): string {
  return [
    countedNoun(people, 'person'),
    held > 0 && `${held.toLocaleString()} will be notified after quiet hours`,
  ]
    .filter(Boolean)
    .join(', ');
}
