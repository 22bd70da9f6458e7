import type { SentMessage } from '../../../shared/contract';
import { lazy } from '../../../ui/lazy';
import { Initials } from '../../../ui/values/Initials';
import { When } from '../../../ui/values/When';
import type { RevisionsProps } from './AnswerRevisions';
import { PriorityChip } from '../PriorityChip';
import { SentRevision } from '../SentRevision';
import { describeMessageState } from '../state-texts';
import {
  isSentSoon,
  isWithdrawn,
  safeLink,
  PRIORITY_NAMES,
  senderText,
  audienceText,
  wasNeverSent,
  hasEnded,
} from '../message-texts';

/** Priority and state, below the title. */
export const MessageChips = ({ message: { priority }, message }: { message: SentMessage }) => (
  <>
    {priority === 'urgent' ? (
      <PriorityChip priority={priority} />
    ) : (
      priority === 'info' && <span className="chip">{PRIORITY_NAMES.info}</span>
    )}
    {message.state !== 'sent' ? (
      <span className="chip" data-tone={describeMessageState(message).tone}>
        {describeMessageState(message).name}
      </span>
    ) : (
      hasEnded(message) && <span className="chip">Expired</span>
    )}
    <SentRevision row={message} part="marks" />
  </>
);

export function MessageText({ message }: { message: SentMessage }) {
  const { expiresAt } = message;
  const link = safeLink(message);
  const sender = senderText(message);
  // A stopped message shows no end, because its chip says that it was stopped.
  return (
    <section className="flush" aria-labelledby="what">
      <h2 id="what">Message</h2>
      <div className="panel pad stack">
        <div className="line">
          {sender && <Initials name={sender} />}
          <span>
            <small>
              <Sending message={message} />
              {!isWithdrawn(message) && (
                <>
                  {' '}
                  {hasEnded(message) ? (
                    <>
                      Expired <When iso={expiresAt} inside />.
                    </>
                  ) : (
                    <>
                      Expires <When iso={expiresAt} inside />.
                    </>
                  )}
                </>
              )}
            </small>
          </span>
        </div>
        <p className="letter">
          <bdi>{message.message}</bdi>
        </p>
        {link && (
          <p>
            <a href={link}>
              <bdi>{link}</bdi>
            </a>
          </p>
        )}
        <Revisions message={message} part="former" />
      </div>
    </section>
  );
}

/** Few messages are translated. */
export const LazyLanguages = lazy(() => import('./Languages').then((module) => module.Languages));

const LazyAnswerRevisions = lazy(() =>
  import('./AnswerRevisions').then((module) => module.AnswerRevisions),
);

/** Corrections and all-clears are rare. */
export const Revisions = (props: RevisionsProps) =>
  props.message.revisedAt || props.message.allClearAt ? <LazyAnswerRevisions {...props} /> : null;

/** When, by whom and to whom. */
function Sending({ message }: { message: SentMessage }) {
  const time = <When iso={message.sendAt} inside />;
  const to = <bdi>{audienceText(message)}</bdi>;
  const sender = senderText(message);
  const by = sender && <bdi>{sender}</bdi>;
  if (wasNeverSent(message) || message.withheld)
    return by ? (
      <>
        Not sent. Scheduled for {time}, from {by} to {to}.
      </>
    ) : (
      <>
        Not sent. Scheduled for {time}, to {to}.
      </>
    );
  if (isSentSoon(message)) return <>Waiting to be sent to {to}.</>;
  if (message.state === 'scheduled')
    return by ? (
      <>
        Scheduled for {time}, from {by} to {to}.
      </>
    ) : (
      <>
        Scheduled for {time}, to {to}.
      </>
    );
  return by ? (
    <>
      Sent {time} by {by} to {to}.
    </>
  ) : (
    <>
      Sent {time} to {to}.
    </>
  );
}
