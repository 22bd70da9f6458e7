/** Who will not be notified, and why, as far as the server knows. */
import type { Subscriber, User } from '../../../shared/contract';
import { countComposedAudience } from '../../../state/messages/audience';
import type { Addressee } from '../../../state/messages/composing';
import { readSubscribers } from '../../../state/topics/topics';
import { readUsers } from '../../../state/users/users';
import { NO_DEVICE, NOT_REGISTERED } from '../../not-reachable-texts';

export interface NotNotifiedPerson {
  name: string;
  reason: string;
  /** The registration link of a person who has not registered. */
  invitedUser?: User;
}

/** How many people are looked up individually. */
const MAX_USER_LOOKUPS = 10;

/**
 * A named person is always notified. Reads all subscribers, so use it only for small topics.
 * @throws {ApiError}
 */
export async function readNotNotified(
  to: readonly Addressee[],
): Promise<readonly NotNotifiedPerson[]> {
  const topics = to.filter(({ kind }) => kind === 'topic');
  const namedPeople = to.filter(({ kind }) => kind === 'person');
  const lists = await Promise.all(topics.map(({ id }) => readSubscribers(id)));
  const people = new Map<
    string,
    { mutedTopics: string[]; states: Subscriber['notificationStatus'][] }
  >();
  lists.forEach((list, index) => {
    for (const { user, notificationStatus } of list) {
      const person = people.get(user.username) ?? { mutedTopics: [], states: [] };
      people.set(user.username, person);
      person.states.push(notificationStatus);
      if (notificationStatus === 'disabled') person.mutedTopics.push(topics[index]?.name ?? '');
    }
  });
  const names = new Set(namedPeople.map(({ name }) => name));
  const notNotified: NotNotifiedPerson[] = [];
  for (const [name, { mutedTopics, states }] of people) {
    if (states.includes('no_devices')) notNotified.push({ name, reason: NO_DEVICE });
    else if (mutedTopics.length === states.length && !names.has(name))
      notNotified.push({ name, reason: `Muted ${mutedTopics.join(', ')}` });
  }
  const unsubscribedPeople = namedPeople
    .filter(({ name }) => !people.has(name))
    .slice(0, MAX_USER_LOOKUPS);
  const counts = await Promise.all(
    unsubscribedPeople.map((addressee) => countComposedAudience([addressee])),
  );
  unsubscribedPeople.forEach(({ name }, index) => {
    if (counts[index]?.unreachable) notNotified.push({ name, reason: NO_DEVICE });
  });
  return withInvited(notNotified);
}

/** Marks people who have no device because they have not registered. */
async function withInvited(
  notNotified: readonly NotNotifiedPerson[],
): Promise<readonly NotNotifiedPerson[]> {
  const lookedUp = notNotified
    .filter(({ reason }) => reason === NO_DEVICE)
    .slice(0, MAX_USER_LOOKUPS);
  const users = await Promise.all(lookedUp.map(({ name }) => findUser(name)));
  return notNotified.map((person) => {
    const user = users[lookedUp.indexOf(person)];
    return user?.status === 'PENDING'
      ? { ...person, reason: NOT_REGISTERED, invitedUser: user }
      : person;
  });
}

/** If the call fails, the person is listed without this reason. */
const findUser = (name: string): Promise<User | undefined> =>
  readUsers({ page: 1, limit: MAX_USER_LOOKUPS, query: name }).then(
    ({ rows }) => rows.find(({ username }) => username === name),
    () => undefined,
  );
