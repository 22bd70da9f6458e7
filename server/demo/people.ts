import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Role } from '../../src/shared/contract';
import { roleNames } from '../accounts/users';
import { recordAudit } from '../audit/record-audit';
import type { Tables } from '../db/schema';
import { registerDevice } from '../devices/registration';
import { removeDevice, unregisterDevice } from '../devices/sign-out';
import { foldCase } from '../../src/shared/case-fold';
import { saveHours } from '../quiet-hours/hours';
import { subscribeMany } from '../subscriptions/bulk-subscriptions';
import { setAccountPreference, setDevicePreference } from '../subscriptions/preferences';
import { listAccounts, type SampleAccount } from './accounts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations';
import { transactIn, type Company, type SampleTopic } from './company';
import { DEMO_ADMIN } from './names';
import * as names from './names';
import { generateKeys, createPushToken, type Phone } from './phones/phone';
import { PHONES } from './phones/phone-models';

const HOME = { network: '198.51.100.0/24' };

export function addPeople(company: Company, passwordHash: string): void {
  const { now, plan, idOf } = company;
  const accounts = listAccounts();
  for (const [place, account] of accounts.entries()) {
    const olderCount = accounts.length - place;
    const addedAt =
      olderCount > names.latestMessages.length
        ? now - 95 * DAY_MS + place * 8 * MINUTE_MS
        : now - olderCount * 1.6 * DAY_MS;
    const author = place === 0 ? { name: 'command line' } : DEMO_ADMIN;
    plan(addedAt, author, (transaction, at) => addPerson(account, place, at, company, transaction));
    if (account.status === 'PENDING') continue;
    const { username } = account;
    const registeredAt = addedAt + (place === 0 ? 0 : (2 + (place % 9)) * HOUR_MS);
    plan(
      registeredAt,
      username,
      (transaction) => activatePerson(username, passwordHash, company, transaction),
      HOME,
    );
    if (account.role !== 'ADMIN') addDevices(account, place, registeredAt, company);
  }
  plan(now - 25 * DAY_MS, DEMO_ADMIN, (transaction) => muteSome(company, transaction));
  plan(now - 22 * DAY_MS, DEMO_ADMIN, (transaction, at) =>
    removeDevice(
      findPhone(names.personWithRemovedDevice, company).deviceId,
      transactIn(transaction),
      at,
    ),
  );
  plan(now - 15 * DAY_MS, names.personWhoBlocked, (transaction, at) =>
    blockNotifications(names.personWhoBlocked, at, company, transaction),
  );
  const quiet = {
    [names.sleepingPerson]: [
      { days: [1, 2, 3, 4, 7], from: '22:00', to: '06:00' },
      { days: [5, 6], from: '22:00', to: '08:00' },
    ],
    [names.personInQuietHours]: [{ days: [1, 2, 3, 4, 5, 6, 7], ...nightAround(now) }],
  };
  for (const [username, rules] of Object.entries(quiet))
    plan(now - 10 * DAY_MS, username, (transaction, at) =>
      saveHours(idOf(username), { timeZone: 'UTC', rules }, transaction, at),
    );
}

function nightAround(now: number): { from: string; to: string } {
  const hour = (offset: number) =>
    `${String((new Date(now).getUTCHours() + offset + 24) % 24).padStart(2, '0')}:00`;
  return { from: hour(-2), to: hour(6) };
}

async function addPerson(
  account: SampleAccount,
  place: number,
  at: number,
  company: Company,
  transaction: Transaction<Tables>,
): Promise<void> {
  const { username, email, role } = account;
  const { id } = await transaction
    .insertInto('users')
    .values({
      ...{ username, username_key: foldCase(username), email, email_key: email },
      ...{ role, status: 'PENDING', created_at: at },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  company.people.push({ ...account, id, place });
  const detail = place === 0 ? 'First administrator' : roleNames[role];
  await recordAudit({ action: 'user.add', person: id, detail }, transaction);
  for (const topic of company.topics) await subscribeTo(topic, [place], at, company, transaction);
}

async function activatePerson(
  username: string,
  password_hash: string,
  { idOf, history }: Company,
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction
    .updateTable('users')
    .set({ status: 'ACTIVE', password_hash, email_verified_at: history.services.now() })
    .where('id', '=', idOf(username))
    .execute();
  if (username !== DEMO_ADMIN)
    await recordAudit({ action: 'user.register', person: idOf(username) }, transaction);
}

export async function subscribeTo(
  topic: SampleTopic,
  places: readonly number[],
  at: number,
  { people }: Company,
  transaction: Transaction<Tables>,
): Promise<void> {
  const userIds = people.flatMap(({ id, role, place }) =>
    places.includes(place) && isInterested(role, place, topic.place) ? id : [],
  );
  if (userIds.length > 0) await subscribeMany({ topicId: topic.id, userIds }, transaction, at);
}

/** A few topics for customers, many for technicians; almost no two people have the same. */
function isInterested(role: Role, person: number, topic: number): boolean {
  if (role === 'ADMIN') return false;
  return role === 'CUSTOMER' ? (person + topic) % 5 === 0 : (person * 7 + topic * 5) % 12 < 5;
}

/** Every other person has two, except people whose phones fail. */
function addDevices(
  { username }: SampleAccount,
  place: number,
  registeredAt: number,
  company: Company,
): void {
  if (names.peopleWithoutDevice.includes(username)) return;
  const behavior = names.failingPhones[username] ?? 'prompt';
  const count =
    behavior === 'prompt' && !names.peopleWithOneDevice.includes(username) ? 1 + (place % 2) : 1;
  const from =
    username === names.personJustRegistered
      ? company.now - 20 * MINUTE_MS
      : registeredAt + 20 * MINUTE_MS;
  for (let nth = 0; nth < count; nth += 1)
    company.plan(from + nth * DAY_MS, username, (transaction) =>
      addDevice({ username, behavior, place, nth }, company, transaction),
    );
}

async function addDevice(
  {
    username,
    behavior,
    place,
    nth,
  }: { username: string; behavior: Phone['behavior']; place: number; nth: number },
  { idOf, history, demoNetwork, phones }: Company,
  transaction: Transaction<Tables>,
): Promise<void> {
  const deviceType = (['android', 'web', 'ios'] as const)[(place + nth) % 3] ?? 'web';
  const model = PHONES[deviceType][(place + nth) % PHONES[deviceType].length] ?? PHONES.web[0];
  const [installationId, keys, userId] = [randomUUID(), generateKeys(), idOf(username)];
  const deviceToken = createPushToken(keys, demoNetwork.endpoint(installationId));
  const { id, deviceKey = '' } = await registerDevice(
    { deviceToken, deviceType, installationId, ...model },
    { userId, sid: null },
    transactIn(transaction),
    history.services,
  );
  const phone: Phone = {
    ...{ deviceId: id, userId, deviceKey, behavior, keys },
    isUsed: nth === 0 && username !== names.personWithUnreadMessages,
    delay: 500 + ((place * 7 + nth * 3) % 10) * 180,
    done: new Set(),
  };
  history.phones.set(id, phone);
  phones.set(installationId, phone);
}

function findPhone(username: string, { idOf, phones }: Company): Phone {
  const phone = [...phones.values()].find(({ userId }) => userId === idOf(username));
  if (phone === undefined) throw new Error(`${username} has no phone at that time`);
  return phone;
}

/** The browser blocks notifications, and the app reports it at its next start. */
async function blockNotifications(
  username: string,
  at: number,
  company: Company,
  transaction: Transaction<Tables>,
): Promise<void> {
  const { deviceId, userId } = findPhone(username, company);
  const { token: deviceToken } = await transaction
    .selectFrom('devices')
    .where('id', '=', deviceId)
    .select('token')
    .executeTakeFirstOrThrow();
  await unregisterDevice({ deviceToken, reason: 'blocked' }, userId, transactIn(transaction), at);
}

/** Lets some people mute a topic, some of them on one device only. */
async function muteSome(
  { history: { phones } }: Company,
  transaction: Transaction<Tables>,
): Promise<void> {
  const subscriptions = await transaction
    .selectFrom('subscriptions')
    .selectAll()
    .orderBy('id')
    .execute();
  for (const { user_id, topic_id } of subscriptions.filter((_, index) => index % 11 === 4)) {
    const mutedTopic = { topicId: topic_id, enabled: false };
    const otherPhones = [...phones.values()].filter(
      (phone) => phone.userId === user_id && !phone.isUsed,
    );
    const [otherPhone] = otherPhones;
    if (otherPhone === undefined)
      await setAccountPreference(mutedTopic, user_id, transactIn(transaction));
    else
      await setDevicePreference(otherPhone.deviceId, mutedTopic, user_id, transactIn(transaction));
  }
}
