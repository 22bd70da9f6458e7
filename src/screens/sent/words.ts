/** What a sent message is called, and the words for how far it got. */
import type { Priority, SentMessage } from '../../shared/contract';
import { amount } from '../../ui/lists/Pager';

/** `1 person`, `31 people`. */
export const peopleCount = (count: number): string => amount(count, 'person');

/** Empty for what is no text, whatever a server says. */
export const textOrNothing = (value: unknown): string => (typeof value === 'string' ? value : '');

const topicTitles = ({ topics, topic }: SentMessage): string[] =>
  (topics.length > 0 ? topics : [topic]).map((one) => textOrNothing(one?.title)).filter(Boolean);

/** The sender's title, or the first topic's. */
export const sentTitle = (message: SentMessage): string =>
  textOrNothing(message.title) || topicTitles(message)[0] || 'Fieldbell';

/** Such as `Grid outages + 2`; a message to people alone says how many they are. */
export function toWhom(message: SentMessage): string {
  const [first, ...others] = topicTitles(message);
  if (!first) return peopleCount(message.people.total);
  return others.length > 0 ? `${first} + ${others.length}` : first;
}

/** The same with all its topics: `Grid outages, Spare parts and Road closures`. */
export function toAll(message: SentMessage): string {
  const titles = topicTitles(message);
  const last = titles.pop();
  if (!last) return peopleCount(message.people.total);
  return titles.length > 0 ? `${titles.join(', ')} and ${last}` : last;
}

/** Null for a person who was deleted. */
export const senderOf = ({ sender }: SentMessage): string => textOrNothing(sender);

/** A link that leads to the app or to a safe page, else nothing: whatever a server says. */
export function linkOf({ link }: SentMessage): string {
  const url = textOrNothing(link);
  return /^(\/(?![/\\])|https:\/\/)/.test(url) ? url : '';
}

export const asksForAnswer = ({ answers }: SentMessage): boolean => answers.length > 0;

/** Whether what had not left by then never leaves. */
export const isWithdrawn = ({ state }: SentMessage): boolean =>
  state === 'cancelled' || state === 'resolved';

/** Whether it was stopped before it was sent to anyone. Before the ledger, only pushes counted. */
export const wasNeverSent = (message: SentMessage): boolean =>
  isWithdrawn(message) && message.people.total === 0 && message.total === 0;

/** Such as `18 of 31`. */
export function answeredText(message: SentMessage): string {
  const { total, read, acknowledged, displayed } = message.people;
  if (message.state === 'scheduled') return total > 0 ? `For about ${peopleCount(total)}` : '-';
  if (total === 0 || (isWithdrawn(message) && displayed === 0)) return '-';
  const of = (count: number) => `${count.toLocaleString()} of ${total.toLocaleString()}`;
  return asksForAnswer(message) ? of(acknowledged) : `No answer requested · ${of(read)} read`;
}

/** Whether there is something to draw of how far it got. */
export const hasCourse = (message: SentMessage): boolean => / of /.test(answeredText(message));

export const PRIORITY_NAMES: Partial<Record<Priority, { name: string; tone?: string }>> = {
  info: { name: 'Info' },
  urgent: { name: 'Urgent', tone: 'bad' },
};
