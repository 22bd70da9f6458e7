/** Titles and progress of sent messages, in words. */
import type { Priority, SentMessage } from '../../shared/contract';
import { serverNow } from '../../state/clock';
import { countedNoun } from '../../ui/lists/Pager';
import { parseTime } from '../../ui/values/Day';

/** Counts people: `1 person`, `31 people`. */
export const peopleCount = (count: number): string => countedNoun(count, 'person');

/** Tolerates any response of a server. */
export const textOrNothing = (value: unknown): string => (typeof value === 'string' ? value : '');

const topicTitles = ({ topics, topic }: SentMessage): string[] =>
  (topics.length > 0 ? topics : [topic])
    .map((candidate) => textOrNothing(candidate?.title))
    .filter(Boolean);

const MAX_TITLE_FROM_TEXT = 60;

/**
 * The sender's title, the first topic's, or the first words. On phones, a message to people alone
 * has its sender's name as its title, which would name many messages in a list.
 */
export function sentTitle(message: SentMessage): string {
  const [topic] = topicTitles(message);
  const title = textOrNothing(message.title);
  if (title && (topic || title !== message.sender)) return title;
  const text = textOrNothing(message.message).trim();
  const [line = ''] = text.split('\n', 1);
  const end = line.length > MAX_TITLE_FROM_TEXT ? line.lastIndexOf(' ', MAX_TITLE_FROM_TEXT) : -1;
  const words = line.slice(0, end > 0 ? end : MAX_TITLE_FROM_TEXT);
  return topic || (words === text ? words : `${words}…`) || 'Fieldbell';
}

/** The names of the message's topics and teams, and the number of people named besides. */
function audienceNames(message: SentMessage): string[] {
  const names = [...topicTitles(message), ...(message.teams ?? []).map(({ name }) => name)];
  const { namedPeople = 0 } = message;
  return names.length > 0 && namedPeople > 0 ? [...names, peopleCount(namedPeople)] : names;
}

/** Names the audience, such as `Grid outages + 2`, or counts it if only people were named. */
export function recipientsText(message: SentMessage): string {
  const [first, ...others] = audienceNames(message);
  if (!first) return peopleCount(message.people.total);
  return others.length > 0 ? `${first} + ${others.length}` : first;
}

/** Names all topics and teams: `Grid outages, North crew and 2 people`. */
export function audienceText(message: SentMessage): string {
  const names = audienceNames(message);
  const last = names.pop();
  if (!last) return peopleCount(message.people.total);
  return names.length > 0 ? `${names.join(', ')} and ${last}` : last;
}

/**
 * The sender's name, or a key's such as `key: SCADA north`; empty if it is unknown: the person was
 * deleted, or Fieldbell sent it itself.
 */
export function senderText({ sender }: Pick<SentMessage, 'sender'>): string {
  const by = textOrNothing(sender);
  const name = /^key: (.+)$/s.exec(by)?.[1];
  return name ? `key: ${name}` : by;
}

/** Returns a path of the app or an https address, and empty text for other links. */
export function safeLink({ link }: SentMessage): string {
  const url = textOrNothing(link);
  return /^(\/(?![/\\])|https:\/\/)/.test(url) ? url : '';
}

export const asksForAnswer = ({ answers }: SentMessage): boolean => answers.length > 0;

/** Pushes that were pending when the message was withdrawn are never sent. */
export const isWithdrawn = ({ state }: SentMessage): boolean =>
  state === 'cancelled' || state === 'resolved';

/** Whether a message is still urgent. */
export const isUrgent = (message: SentMessage): boolean =>
  message.priority === 'urgent' && !message.allClearAt && !isWithdrawn(message);

/** A message that is sent so soon was not scheduled, as far as people know. */
const WAITING_MS = 10_000;

/** Whether these are the seconds to undo a message. */
export const isSentSoon = ({ state, sendAt }: SentMessage): boolean =>
  state === 'scheduled' && parseTime(sendAt) - serverNow() < WAITING_MS;

/** Notifying stops, but late answers are still recorded. */
export const hasEnded = (message: SentMessage): boolean =>
  isWithdrawn(message) ||
  message.state === 'expired' ||
  parseTime(message.expiresAt) <= serverNow();

/** Old messages have only pushes, so both are checked. */
export const wasNeverSent = (message: SentMessage): boolean =>
  isWithdrawn(message) && message.people.total === 0 && message.total === 0;

/** Whether there is progress to show. */
export const hasMeter = (message: SentMessage): boolean => {
  const { total, displayed } = message.people;
  return message.state !== 'scheduled' && total > 0 && !(isWithdrawn(message) && displayed === 0);
};

/** Counts answers: `18 of 31 answered`. Without a requested answer, counts readers: `21 of 22 read`. */
export function answeredText(message: SentMessage): string {
  const { total, read, acknowledged } = message.people;
  if (message.state === 'scheduled') return total > 0 ? `For about ${peopleCount(total)}` : '-';
  if (!hasMeter(message)) return '-';
  const ofTotal = (count: number) => `${count.toLocaleString()} of ${total.toLocaleString()}`;
  if (!asksForAnswer(message)) return `${ofTotal(read)} read`;
  const answeredLabel = ofTotal(acknowledged);
  return `${answeredLabel} answered`;
}

export const PRIORITY_NAMES: Record<Priority, string> = {
  urgent: 'Urgent',
  normal: 'Normal',
  info: 'Info',
};
