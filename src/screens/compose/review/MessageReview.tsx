import type { ReactNode } from 'react';
import type { Audience, Priority } from '../../../shared/contract';
import { UNDO_SECONDS } from '../../../state/messages/needs-review';
import { Dialog } from '../../../ui/forms/Dialog';
import { ActionForm } from '../../../ui/forms/DialogForm';
import { Icon } from '../../../ui/Icon';
import { countedNoun } from '../../../ui/lists/Pager';
import { sendText } from '../SendBar';
import { LOCK_SCREEN_ANSWERS } from '../message-lengths';
import { PRIORITIES } from '../options/PriorityField';

export interface ReviewedMessage {
  /** Names of topics and people. */
  audienceNames: readonly string[];
  title: string;
  message: string;
  priority: Priority;
  answers: readonly string[];
  /** The text of a later time, such as `Tomorrow 06:00`. Empty text means now. */
  sendTimeText: string;
}

interface Props {
  reviewedMessage: ReviewedMessage;
  /** The message's escalation policy, if the app knows the policy. */
  policy?: ReactNode;
  /** Whether the sender has some seconds to undo a message that is sent now. */
  canUndo?: boolean;
  /** Undefined if the server could not count the audience. */
  audience: Audience | undefined;
  onSend: () => void;
  onClose: () => void;
}

export const REVIEW_TITLE = 'Review before sending';

/** Confirms before a message disturbs many people, or urgently. */
export const ReviewDialog = (props: Props) => (
  <Dialog title={REVIEW_TITLE} onClose={props.onClose}>
    <Review {...props} />
  </Dialog>
);

/** The review alone, as a step of another dialog. */
export function Review({
  reviewedMessage: { audienceNames, title, message, priority, answers, sendTimeText },
  policy,
  canUndo = false,
  audience,
  onSend,
  onClose,
}: Props) {
  const missedCount = audience ? audience.muted + audience.unreachable : 0;
  return (
    <ActionForm
      action={
        audience
          ? sendText(audience, sendTimeText !== '')
          : sendTimeText
            ? 'Schedule anyway'
            : 'Send anyway'
      }
      busyText="Sending…"
      dismiss="Back"
      danger={priority === 'urgent'}
      submit={async () => onSend()}
      explain={String}
      onClose={onClose}
    >
      <ul className="panel rows review">
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
        <ReviewRow label="Answers">
          {answers.length === 0 && 'No answer requested.'}
          <span className="tags">
            {answers.map((answer, place) => (
              <span key={answer} className="reply">
                {place > 0 && ' '}
                <bdi>{answer}</bdi>
              </span>
            ))}
          </span>
          {answers.length > LOCK_SCREEN_ANSWERS &&
            'Android shows only the first two on the lock screen.'}
        </ReviewRow>
        {policy !== undefined && <ReviewRow label="Escalation">{policy}</ReviewRow>}
        <ReviewRow label="When">
          {sendTimeText ||
            (canUndo ? `Now. You can undo this for ${UNDO_SECONDS} seconds.` : 'Now')}
        </ReviewRow>
      </ul>
    </ActionForm>
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
