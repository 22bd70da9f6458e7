/** Who will not be notified, and why, as far as the server knows. */
import type { Subscriber, User } from '../../../shared/contract';
import { countComposedAudience } from '../../../state/messages/audience';
import type { Addressee } from '../../../state/messages/composing';
import { readSubscribers } from '../../../state/topics/topics';
import { readUsers } from '../../../state/users/users';

export interface NotNotifiedPerson {
  name: string;
  why: string;
  /** Set if they have not registered, with their link. */
  invited?: User;
}

/** How many people are looked up individually. */
const LOOKUPS = 10;
const NO_DEVICE = 'No device to notify';

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
  const people = new Map<string, { off: string[]; states: Subscriber['notificationStatus'][] }>();
  lists.forEach((list, index) => {
    for (const { user, notificationStatus } of list) {
      const person = people.get(user.username) ?? { off: [], states: [] };
      people.set(user.username, person);
      person.states.push(notificationStatus);
      if (notificationStatus === 'disabled') person.off.push(topics[index]?.name ?? '');
    }
  });
  const names = new Set(namedPeople.map(({ name }) => name));
  const missing: NotNotifiedPerson[] = [];
  for (const [name, { off, states }] of people) {
    if (states.includes('no_devices')) missing.push({ name, why: NO_DEVICE });
    else if (off.length === states.length && !names.has(name))
      missing.push({ name, why: `Muted ${off.join(', ')}` });
  }
  const outside = namedPeople.filter(({ name }) => !people.has(name)).slice(0, LOOKUPS);
  const counts = await Promise.all(outside.map((one) => countComposedAudience([one])));
  outside.forEach(({ name }, index) => {
    if (counts[index]?.unreachable) missing.push({ name, why: NO_DEVICE });
  });
  return withInvited(missing);
}

/** Marks those who have no device because they have not registered. */
async function withInvited(
  missing: readonly NotNotifiedPerson[],
): Promise<readonly NotNotifiedPerson[]> {
  const lookedUp = missing.filter(({ why }) => why === NO_DEVICE).slice(0, LOOKUPS);
  const users = await Promise.all(lookedUp.map(({ name }) => findUser(name)));
  return missing.map((person) => {
    const user = users[lookedUp.indexOf(person)];
    return user?.status === 'PENDING'
      ? { ...person, why: 'Hasn’t registered yet', invited: user }
      : person;
  });
}

/** Without a response the person is listed without this reason. */
const findUser = (name: string): Promise<User | undefined> =>
  readUsers({ page: 1, limit: LOOKUPS, query: name }).then(
    ({ rows }) => rows.find(({ username }) => username === name),
    () => undefined,
  );
