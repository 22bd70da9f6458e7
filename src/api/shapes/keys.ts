/** Keys of topics, checked as `shapes.ts` says. A file of its own: one dialog asks for them. */
import type { TopicKey } from '../../shared/contract';
import { anyTime, like, type Check } from '../shapes';

const someKey = like<TopicKey>({
  id: 0,
  name: '',
  prefix: '',
  createdAt: anyTime,
  lastUsedAt: null,
});
const someHeldBack = like({ alerts: 0, since: anyTime });
const isMissingOr = (check: Check<unknown>, value: unknown): boolean =>
  value === undefined || check(value);
const isUse = (value: unknown): boolean => value == null || typeof value === 'string';
const topicKey: Check<TopicKey> = (answer) =>
  someKey(answer) &&
  isUse((answer as TopicKey).lastUsedAt) &&
  isMissingOr(someHeldBack, (answer as TopicKey).heldBack);
const secret = like({ key: '' });
export const newKey: Check<TopicKey & { key: string }> = (answer) =>
  topicKey(answer) && secret(answer);
const list = like({ keys: [] });
export const topicKeys: Check<{ keys: TopicKey[] }> = (answer) =>
  list(answer) && (answer as { keys: TopicKey[] }).keys.every(topicKey);
