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
import { Meter } from '../sent/Meter';
import { describeMessageState, SENT_STATE_NAME } from '../sent/state-texts';
import {
  answeredText,
  asksForAnswer,
  hasMeter,
  isUrgent,
  isWithdrawn,
  sentTitle,
  hasEnded,
} from '../sent/message-texts';

const MAX_LAST_MESSAGES = 3;

export function LastMessages(props: { messages: readonly SentMessage[] }) {
  const messages = props.messages.slice(0, MAX_LAST_MESSAGES);
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
    </section>
  );
}

/** Whether an urgent message still waits for someone's answer. */
const isWaiting = (message: SentMessage): boolean =>
  message.priority === 'urgent' &&
  asksForAnswer(message) &&
  message.state !== 'scheduled' &&
  !message.allClearAt &&
  !hasEnded(message) &&
  countNotAnswered(message.people) > 0;

const needsHelp = (message: SentMessage): boolean => countCallsForHelp(message) > 0;

/** Puts each message into one group, newest first, except the messages of shown alarms. */
export function groupMessages({ messages, urgentMessages }: Summary, alarmIds: readonly string[]) {
  const isShownHere = ({ id }: SentMessage) => !alarmIds.includes(id);
  const byId = new Map([...urgentMessages, ...messages].map((message) => [message.id, message]));
  const byTime = [...byId.values()]
    .filter(isShownHere)
    .sort((one, other) => parseTime(other.sendAt) - parseTime(one.sendAt));
  return {
    help: byTime.filter(needsHelp),
    waiting: byTime.filter((message) => !needsHelp(message) && isWaiting(message)),
    others: messages.filter(
      (message) => isShownHere(message) && !needsHelp(message) && !isWaiting(message),
    ),
  };
}

const MAX_WAITING_MESSAGES = 5;

/** Messages that need attention now. */
export const UrgentMessages = ({
  id,
  title,
  messages,
  allPath,
}: {
  id: string;
  title: string;
  messages: readonly SentMessage[];
  allPath: string;
}) =>
  messages.length > 0 && (
    <section className="flush" aria-labelledby={id}>
      <div className="bar">
        <h2 id={id}>{title}</h2>
        {messages.length > MAX_WAITING_MESSAGES && (
          <Link className="alone" href={allPath}>
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
      <li key={message.id} className={isUrgent(message) ? 'urgent' : undefined}>
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
  if (isUrgent(message))
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
