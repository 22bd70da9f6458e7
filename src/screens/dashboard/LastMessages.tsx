import { Link } from 'wouter';
import type { SentMessage } from '../../shared/contract';
import { countNotAnswered } from '../../shared/recipient-states';
import type { Summary } from '../../state/overview';
import { parseTime } from '../../ui/values/Day';
import { When } from '../../ui/values/When';
import { Icon } from '../../ui/Icon';
import { EmptyList } from '../../ui/EmptyList';
import { HelpChip } from '../sent/HelpChip';
import { countCallsForHelp } from '../sent/calls-for-help';
import { Legend, Meter } from '../sent/Meter';
import { describeMessageState, SENT_STATE_NAME } from '../sent/state-texts';
import {
  answeredText,
  asksForAnswer,
  hasMeter,
  isWithdrawn,
  sentTitle,
  hasEnded,
} from '../sent/message-texts';

export function LastMessages({ messages }: { messages: readonly SentMessage[] }) {
  return (
    <section className="flush" aria-labelledby="last">
      <div className="bar">
        <h2 id="last">Last messages</h2>
        <Link className="alone" href="/admin/messages">
          All messages
        </Link>
      </div>
      {messages.length === 0 && (
        <EmptyList
          icon="send"
          title="No messages yet"
          hint="After you send a message, you’ll see who answered."
        />
      )}
      {messages.length > 0 && <MessageRows messages={messages} />}
      <Legend messages={messages} />
    </section>
  );
}

/** Whether an urgent message still waits for someone's answer, or someone needs help. */
export const isWaiting = (message: SentMessage): boolean =>
  message.priority === 'urgent' &&
  asksForAnswer(message) &&
  message.state !== 'scheduled' &&
  !message.allClearAt &&
  !hasEnded(message) &&
  countNotAnswered(message.people) + countCallsForHelp(message) > 0;

/** Urgent messages that need attention now: calls for help first, then the newest. */
export function listWaiting({ messages, urgentMessages }: Summary): SentMessage[] {
  const byId = new Map([...urgentMessages, ...messages].map((message) => [message.id, message]));
  return [...byId.values()]
    .filter(isWaiting)
    .sort(
      (one, other) =>
        Number(countCallsForHelp(other) > 0) - Number(countCallsForHelp(one) > 0) ||
        parseTime(other.sendAt) - parseTime(one.sendAt),
    );
}

const MAX_WAITING_MESSAGES = 5;

export const WaitingMessages = ({ messages }: { messages: readonly SentMessage[] }) => (
  <section className="flush" aria-labelledby="waiting">
    <div className="bar">
      <h2 id="waiting">
        {messages.some(countCallsForHelp) ? 'People need help' : 'Waiting for answers'}
      </h2>
      {messages.length > MAX_WAITING_MESSAGES && (
        <Link className="alone" href="/admin/messages?priority=urgent">
          All messages
        </Link>
      )}
    </div>
    <MessageRows messages={messages.slice(0, MAX_WAITING_MESSAGES)} />
  </section>
);

const MessageRows = ({ messages }: { messages: readonly SentMessage[] }) => (
  <ul className="panel rows inbox">
    {messages.map((message) => (
      <li key={message.id} className={message.priority === 'urgent' ? 'urgent' : undefined}>
        <Link href={`/admin/messages/${message.id}`}>
          <span className="headline">
            <PriorityDisc message={message} />
            <b>
              <bdi>{sentTitle(message)}</bdi>
            </b>
            <small>
              <When iso={message.sendAt} />
            </small>
          </span>
          <p>
            <bdi className="clamp">{message.message}</bdi>
          </p>
          <Meter message={message} />
          <small>
            <Outcome message={message} />
          </small>
        </Link>
      </li>
    ))}
  </ul>
);

/** Red if urgent, green once everyone answered. */
function PriorityDisc({ message }: { message: SentMessage }) {
  const { total, acknowledged } = message.people;
  const isDone = asksForAnswer(message) && total > 0 && acknowledged >= total;
  if (message.priority === 'urgent')
    return (
      <span className="disc solid">
        <Icon name="alert" />
        <span className="sr">Urgent: </span>
      </span>
    );
  return (
    <span className="disc" data-tone={isDone ? 'ok' : undefined}>
      <Icon name={isDone ? 'check' : 'tag'} />
    </span>
  );
}

const notAnsweredText = (message: SentMessage, missingCount: number): string =>
  isWithdrawn(message) || message.state === 'expired'
    ? `${missingCount.toLocaleString()} didn’t`
    : `${missingCount.toLocaleString()} ${missingCount === 1 ? 'hasn’t' : 'haven’t'} yet`;

/** The outcome in a line: `18 of 31 answered · 7 haven’t yet · 5 not reachable`. */
function Outcome({ message }: { message: SentMessage }) {
  const { name, tone } = describeMessageState(message);
  const help = <HelpChip message={message} />;
  const state = (
    <span className="chip" data-tone={tone}>
      {name}
    </span>
  );
  if (!hasMeter(message)) return state;
  const { total, acknowledged } = message.people;
  if (asksForAnswer(message) && acknowledged >= total && total > 1)
    return (
      <>
        {help}
        <span>All {total.toLocaleString()} answered</span>
      </>
    );
  const missingCount = asksForAnswer(message) ? countNotAnswered(message.people) : 0;
  const words = [
    answeredText(message),
    ...(missingCount > 0 ? [notAnsweredText(message, missingCount)] : []),
  ];
  return (
    <>
      {help}
      {words.join(' · ')}
      {name !== SENT_STATE_NAME && <> {state}</>}
    </>
  );
}
