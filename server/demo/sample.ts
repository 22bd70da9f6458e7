/**
 * Fills an empty database with the sample. Everything is inserted in bulk, and one password is
 * hashed once.
 */
import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import { hashPassword } from '../accounts/passwords/passwords';
import type { Database } from '../db/open';
import type { DeviceRow } from '../db/schema';
import type { Role, UserStatus } from '../../src/shared/contract';
import { foldCase } from '../lib/case-fold';
import { sha256 } from '../lib/sha256';
import { insertAudit } from './audit';
import { insertPolicies, insertQuietHours } from './escalation';
import { insertKeys } from './keys';
import { insertMessages } from './messages';
import * as names from './names';
import { PHONES, insertReach, loseDevices } from './reach';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

export const DEMO_ADMIN = 'demo';
/** Too short for anyone but the demo, which writes it past the rules. */
export const DEMO_PASSWORD = 'demo';

export async function fillSample(db: Database, now: number): Promise<void> {
  const users = await insertUsers(db, now, await hashPassword(DEMO_PASSWORD));
  const topics = await insertTopics(db, now);
  const people = users.filter((user) => user.role !== 'ADMIN');
  const subscriptions = people.flatMap((user, index) =>
    topics
      .filter((_, place) => isInterested(user.role, index, place))
      .map((topic) => ({
        user_id: user.id,
        topic_id: topic.id,
        created_at: Math.max(user.created_at, topic.created_at) + (index % 8) * HOUR,
      })),
  );
  await db.insertInto('subscriptions').values(subscriptions).execute();
  const switchedOff = subscriptions.filter((_, index) => index % 9 === 4);
  await db
    .insertInto('account_preferences')
    .values(
      switchedOff.map(({ user_id, topic_id }) => ({ user_id, topic_id, enabled: 0 as const })),
    )
    .execute();
  const active = people.filter((user) => user.status === 'ACTIVE').map((user) => user.id);
  const devices = await insertDevices(db, now, active);
  await insertReach(db, now, devices);
  const owners = new Set(devices.map(({ user_id }) => user_id));
  await loseDevices(
    db,
    now,
    active.filter((id) => !owners.has(id)),
  );
  await insertOneOff(db, devices, subscriptions);
  const policies = await insertPolicies(db, now, topics);
  const keys = await insertKeys(db, now, topics);
  await insertMessages(db, now, topics, policies.get(names.policies[0]?.name ?? ''), keys);
  await insertQuietHours(db);
  const admin = users.find((user) => user.role === 'ADMIN');
  if (admin !== undefined) await insertAudit(db, now, admin.id, active);
}

/** A few topics for customers, many for technicians, and no two people have quite the same. */
function isInterested(role: Role, person: number, topic: number): boolean {
  return role === 'CUSTOMER' ? (person + topic) % 5 === 0 : (person * 7 + topic * 5) % 12 < 5;
}

interface Account {
  username: string;
  role: Role;
  status: UserStatus;
}

function listAccounts(): Account[] {
  const pending = new Set([
    'erik.dahl',
    'sana.rahimi',
    'depot.north',
    'lena.brandt',
    'kofi.mensah',
    'arena-north',
  ]);
  const as =
    (role: Role) =>
    (username: string): Account => ({
      username,
      role,
      status: pending.has(username) ? 'PENDING' : 'ACTIVE',
    });
  const others = [
    ...names.admins.map(as('ADMIN')),
    ...names.customers.map(as('CUSTOMER')),
    ...names.technicians.map(as('TECHNICIAN')),
  ];
  // Mixed as a company grows: 7 shares no factor with 59, so each comes once. The first page shows
  // some of everything.
  const mixed = others
    .map((_, index) => others[(index * 7 + 3) % others.length])
    .filter((account) => account !== undefined);
  const latest = names.latest.flatMap((name) => mixed.filter(({ username }) => username === name));
  const earlier = mixed.filter((account) => !latest.includes(account));
  return [{ username: DEMO_ADMIN, role: 'ADMIN', status: 'ACTIVE' }, ...earlier, ...latest];
}

async function insertUsers(db: Database, now: number, passwordHash: string) {
  const accounts = listAccounts();
  const rows = accounts.map(({ username, role, status }, index) => {
    const domain = role === 'CUSTOMER' ? `${username}.example` : 'northgrid.example';
    const email =
      status === 'PENDING' && index % 2 === 0
        ? null
        : `${role === 'CUSTOMER' ? 'office' : username}@${domain}`;
    return {
      username,
      username_key: foldCase(username),
      email,
      email_key: email,
      email_verified_at: status === 'ACTIVE' ? now - DAY : null,
      password_hash: status === 'ACTIVE' ? passwordHash : null,
      role,
      status,
      created_at: now - (accounts.length - index) * 1.6 * DAY,
    };
  });
  return db
    .insertInto('users')
    .values(rows.map(floorTimes))
    .returning(['id', 'role', 'status', 'created_at'])
    .execute();
}

const floorTimes = <T extends { created_at: number }>(row: T): T => ({
  ...row,
  created_at: Math.floor(row.created_at),
});

async function insertTopics(db: Database, now: number) {
  const rows = names.topics.map(([title, description], index) => {
    const created_at = now - (names.topics.length - index) * 8 * DAY;
    return {
      title,
      description,
      search_key: foldCase(`${title}\n${description}`),
      created_at,
      updated_at: created_at,
    };
  });
  return db.insertInto('topics').values(rows).returning(['id', 'title', 'created_at']).execute();
}

/** Web Push subscriptions as browsers make them, to a host that can never exist (RFC 2606). */
function makeSubscription(): string {
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  const keys = { p256dh, auth: randomBytes(16).toString('base64url') };
  return JSON.stringify({
    endpoint: `https://push.invalid/${randomUUID()}`,
    expirationTime: null,
    keys,
  });
}

async function insertDevices(db: Database, now: number, owners: number[]): Promise<DeviceRow[]> {
  const rows = owners.flatMap((user_id, index) =>
    Array.from({ length: index % 9 === 8 ? 0 : 1 + (index % 2) }, (_, nth) => {
      const token = makeSubscription();
      const type = (['android', 'web', 'ios'] as const)[(index + nth) % 3] ?? 'web';
      const token_hash = sha256(token);
      const phone = PHONES[type][(index + nth) % PHONES[type].length] ?? PHONES[type][0];
      return {
        user_id,
        token,
        token_hash,
        type,
        ...phone,
        created_at: now - 30 * DAY,
        last_seen_at: now - index * 3_600_000,
      };
    }),
  );
  return db.insertInto('devices').values(rows).returningAll().execute();
}

type Pair = { user_id: number; topic_id: number };

/** Some people switched a topic off on one of their devices only. */
async function insertOneOff(
  db: Database,
  devices: DeviceRow[],
  subscriptions: Pair[],
): Promise<void> {
  const rows = devices
    .filter((device, index) => devices[index + 1]?.user_id === device.user_id)
    .flatMap((device) => {
      const subscription = subscriptions.find((row) => row.user_id === device.user_id);
      return subscription === undefined
        ? []
        : [{ device_id: device.id, topic_id: subscription.topic_id, enabled: 0 as const }];
    });
  await db.insertInto('device_preferences').values(rows).execute();
}
