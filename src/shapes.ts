/**
 * Which answers `call` takes for what they claim to be. Each check is made from an example of the contract's shape: an
 * answer fits if it has all the fields of the example, of the same types. `null` in an example stands for anything.
 */
import type { Preference, Subscriber, Subscription, Timestamp, Topic, TopicPage, User, UserPage } from './contract';

export type Check<T> = ((answer: unknown) => boolean) & { readonly of?: T };

function fits(value: unknown, example: unknown): boolean {
  if (example === null) return true;
  if (Array.isArray(example)) return Array.isArray(value) && value.every((item) => fits(item, example[0] ?? null));
  if (typeof example !== 'object') return typeof value === typeof example;
  return typeof value === 'object' && value !== null && Object.entries(example).every(([name, part]) => fits((value as Record<string, unknown>)[name], part));
}

const like =
  <T>(example: T): Check<T> =>
  (answer) =>
    fits(answer, example);

const page = { total: 0, page: 1, limit: 10 };
/** A row without its date is still worth showing, with `-` in its place. */
const anything = null as unknown as Timestamp;
const aTopic: Topic = { id: 0, title: '', description: '', createdAt: anything, updatedAt: anything };
const aUser: User = { id: 0, username: '', email: null, role: 'CUSTOMER', status: 'PENDING', createdAt: anything };
const aSubscriber: Subscriber = { id: 0, createdAt: anything, user: { username: '', role: 'CUSTOMER' }, notificationStatus: 'enabled', enabledDevices: 0, totalDevices: 0 };

export const topic = like(aTopic);
export const topics = like([aTopic]);
export const topicPage = like<TopicPage>({ topics: [aTopic], ...page });
export const user = like(aUser);
export const newUser = like({ user: aUser, registrationLink: '' });
export const userPage = like<UserPage>({ users: [aUser], ...page });
export const subscriptions = like<Subscription[]>([{ id: 0, createdAt: anything, topic: { id: 0, title: '', description: '' } }]);
export const subscribers = like([aSubscriber]);
export const preferences = like<Preference[]>([{ topicId: 0, enabled: true }]);
