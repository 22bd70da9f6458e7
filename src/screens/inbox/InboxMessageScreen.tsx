import { useEffect, useRef, useState } from 'react';
import { Link, useParams } from 'wouter';
import { ApiError, errorMessage } from '../../api/error';
import { pathInApp } from '../../platform/location';
import { tapOnce } from '../../platform/second-tap';
import { CHECK_IN_PAGE } from '../../shared/check-in-page';
import { markRead, openMessage } from '../../state/inbox/opened-message';
import { followInbox } from '../../state/inbox/follow-inbox';
import {
  hasExpired,
  inboxRows,
  isToEarlierText,
  isAnswerable,
  isChangeable,
  toInboxRows,
  waitsForAnswer,
  type InboxItem,
} from '../../state/inbox/inbox-state';
import { INBOX_FAILED } from '../../state/inbox/load-inbox';
import { savedTopics } from '../../state/subscriptions/cached-topics';
import { Icon } from '../../ui/Icon';
import { Initials } from '../../ui/values/Initials';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { AllAnswered } from './AllAnswered';
import { AnswerButtons } from './AnswerButtons';
import { Answered } from './Answered';
import { MessageMarks, InboxRevision, isUrgent } from './MessageMarks';
import { splitLinks, type TextPiece } from './split-links';
import { endText, momentAtText, momentText } from './moment-texts';

const MESSAGE_MISSING = 'This message doesn’t exist or wasn’t sent to you.';

/** Shows one message, and marks it as read when it opens. */
export function InboxMessageScreen() {
  const { id = '' } = useParams();
  const [failure, setFailure] = useState('');
  const [missing, setMissing] = useState(false);
  const [row] = toInboxRows([id]);
  const openAndRead = () => {
    setFailure('');
    openMessage(id).catch((thrown: unknown) => {
      setMissing(thrown instanceof ApiError && thrown.status === 404);
      setFailure(errorMessage(thrown, INBOX_FAILED));
    });
  };
  useEffect(() => followInbox(id), [id]);
  useEffect(openAndRead, [id]);
  // The sender may correct the message while it is open.
  useEffect(() => {
    if (row?.readAt === null) void markRead(id);
  }, [id, row?.readAt]);
  useKeepFocus(row?.answer, failure);
  return (
    <>
      <Link className="back" href="/messages">
        <Icon name="chevron" />
        Inbox
      </Link>
      {row ? (
        <MessageContent row={row} />
      ) : (
        <>
          <Heading>Inbox</Heading>
          {failure ? (
            <Failure retry={missing ? undefined : openAndRead}>
              {missing ? MESSAGE_MISSING : failure}
            </Failure>
          ) : (
            <Skeleton />
          )}
        </>
      )}
    </>
  );
}

function MessageContent({ row }: { row: InboxItem }) {
  const { createdAt, link, message, sender, title, topic } = row;
  const parts = splitLinks(message);
  return (
    <>
      <Heading>{title}</Heading>
      <p className="tags">
        <MessageMarks row={row} urgent={isUrgent(row)} />
        {topic && topic.title !== title && (
          <small>
            <bdi>{topic.title}</bdi>
          </small>
        )}
      </p>
      <InboxRevision row={row} part="all-clear" />
      <Expiry row={row} />
      <div className="panel pad">
        <p className="line">
          {sender && <Initials name={sender} />}
          <span>
            {sender && (
              <b>
                <bdi>{sender}</bdi>
              </b>
            )}{' '}
            <small>
              <time dateTime={createdAt}>{momentText(createdAt)}</time>
            </small>
          </span>
        </p>
        <p className="letter" dir="auto">
          {parts.map(([piece, to], index) =>
            to ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text stay in their order
              <a key={index} href={to} rel="noreferrer">
                {piece}
              </a>
            ) : (
              piece
            ),
          )}
        </p>
        <div className="stack">
          {listButtons(parts, link).map(([piece, to]) => (
            <TapButton key={to} piece={piece} to={to} />
          ))}
          {link !== null && <SendersLink to={link} />}
        </div>
        <InboxRevision row={row} part="former" />
      </div>
      <YourAnswer key={row.id} row={row} />
      <SubscriptionReason row={row} />
    </>
  );
}

/** Stands at the top, because an expired message may ask for something that is over. */
function Expiry({ row }: { row: InboxItem }) {
  if (!hasExpired(row) || row.state !== 'sent' || row.allClearAt) return null;
  return (
    <p className="note">
      {isAnswerable(row) ? (
        <>
          Expired {endText(row.expiresAt)}. You can still answer, but your answer will be marked as
          late.
        </>
      ) : (
        `The message expired ${momentAtText(row.expiresAt)}.`
      )}
    </p>
  );
}

/** Above this number, links get no buttons: the text shows which name each number belongs to. */
const MAX_LINK_BUTTONS = 3;

/** Lists each link target once, without the sender's link, which has its own button. */
function listButtons(parts: readonly TextPiece[], link: string | null) {
  const targets = new Map(parts.flatMap(([piece, to]) => (to && to !== link ? [[to, piece]] : [])));
  return [...targets].slice(0, MAX_LINK_BUTTONS).map(([to, piece]) => [piece, to] as const);
}

/** Shows where an address leads, not what it looks like. */
const TapButton = ({ piece, to }: { piece: string; to: string }) => (
  <a className="other" href={to} rel="noreferrer">
    {to.startsWith('tel:') ? (
      <>
        <Icon name="phone" />
        Call <bdi dir="ltr">{piece}</bdi>
      </>
    ) : (
      <>
        <Icon name="link" />
        <bdi dir="ltr">{new URL(to).host}</bdi>
      </>
    )}
  </a>
);

/** Links lead to paths of the app and https addresses. */
function SendersLink({ to }: { to: string }) {
  const appPath = pathInApp(to);
  if (appPath)
    return (
      <Link className="other" href={appPath}>
        <Icon name="link" />
        {appPath === CHECK_IN_PAGE ? 'Open check-in' : appPath}
      </Link>
    );
  return /^https:/i.test(to) && URL.canParse(to) ? <TapButton piece={to} to={to} /> : null;
}

function YourAnswer({ row }: { row: InboxItem }) {
  const { notifiesAgain } = row;
  const [isChanging, setIsChanging] = useState(false);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isChanging) section.current?.querySelector<HTMLElement>('.note button')?.focus();
  }, [isChanging]);
  useKeepFocus(isChanging);
  const isWaiting = isAnswerable(row);
  const canChange = isChangeable(row) && (row.answers.length > 1 || isToEarlierText(row));
  const hasFormer = row.answer === null && row.formerAnswers;
  if (!isWaiting && row.answer === null && !row.unrecordedAnswer && !hasFormer) return null;
  return (
    <section ref={section} aria-labelledby="ask">
      <h2 id="ask">Your answer</h2>
      <Answered
        row={row}
        {...(canChange && !isChanging && { onChange: () => setIsChanging(true) })}
        buttons={
          canChange &&
          isChanging && (
            <>
              <AnswerButtons row={row} onChanged={() => setIsChanging(false)} />
              <button
                type="button"
                className="quiet"
                onClick={() => tapOnce(() => setIsChanging(false))}
              >
                Cancel
              </button>
            </>
          )
        }
      />
      {hasFormer && <InboxRevision row={row} part="answer" asked={isWaiting} />}
      {isWaiting && (
        <>
          {notifiesAgain && !hasExpired(row) && <p className="muted">Rings until you answer.</p>}
          <AnswerButtons row={row} />
        </>
      )}
      {row.answer !== null && !isChanging && <NextToAnswer id={row.id} />}
    </section>
  );
}

/** After an answer: the next message that waits for one, or that there is none. */
function NextToAnswer({ id }: { id: string }) {
  const next = inboxRows.value.find((row) => row.id !== id && waitsForAnswer(row));
  return next ? (
    <p className="stack">
      <Link className="other" href={`/messages/${next.id}`}>
        <Icon name="bell" />
        Next to answer: <bdi>{next.title}</bdi>
      </Link>
    </p>
  ) : (
    <p>
      <AllAnswered rows={inboxRows.value} />
    </p>
  );
}

/** Why the person received the message, and until when it is valid, unless the question says so. */
function SubscriptionReason({ row, row: { expiresAt, topic } }: { row: InboxItem }) {
  const name = <bdi>{topic?.title}</bdi>;
  return (
    <section>
      <small>
        {topic &&
          (savedTopics.value.some((subscription) => subscription.topic.id === topic.id) ? (
            <>
              You’re subscribed to <Link href="/subscriptions">{name}</Link>.{' '}
            </>
          ) : (
            <>Sent to the topic {name}. </>
          ))}
        {!hasExpired(row) && `The message expires ${momentAtText(expiresAt)}.`}
      </small>
    </section>
  );
}
