import type { SentMessage } from '../../../shared/contract';
import { When } from '../../../ui/values/When';
import { hasEnded } from './ends';
import { PriorityChip } from '../PriorityChip';
import { messageStateOf } from '../states';
import {
  isWithdrawn,
  linkOf,
  PRIORITY_NAMES,
  senderOf,
  audienceText,
  wasNeverSent,
} from '../words';

export function Text({ message }: { message: SentMessage }) {
  const { state, sendAt, expiresAt, priority } = message;
  const link = linkOf(message);
  const sender = senderOf(message);
  // A stopped message shows no end: its chip says so.
  return (
    <section className="flush" aria-labelledby="what">
      <h2 id="what">Message</h2>
      <div className="panel pad">
        <p className="lines">
          <bdi>{message.message}</bdi>
        </p>
        {link && (
          <p>
            <a href={link}>
              <bdi>{link}</bdi>
            </a>
          </p>
        )}
        <p role="status">
          {priority === 'urgent' ? (
            <PriorityChip priority={priority} />
          ) : (
            priority === 'info' && <span className="chip">{PRIORITY_NAMES.info}</span>
          )}{' '}
          {state !== 'sent' && (
            <span className="chip" data-tone={messageStateOf(message).tone}>
              {messageStateOf(message).name}
            </span>
          )}
        </p>
        <small>
          {sendingText(message)} <When iso={sendAt} inside />
          {sender && (
            <>
              {' by '}
              <bdi>{sender}</bdi>
            </>
          )}{' '}
          to <bdi>{audienceText(message)}</bdi>.
          {!isWithdrawn(message) && (
            <>
              {hasEnded(message) ? ' Expired ' : ' Expires '}
              <When iso={expiresAt} inside />.
            </>
          )}
        </small>
      </div>
    </section>
  );
}

function sendingText(message: SentMessage): string {
  if (wasNeverSent(message) || message.withheld) return 'Not sent. Was due';
  return message.state === 'scheduled' ? 'Scheduled for' : 'Sent';
}
