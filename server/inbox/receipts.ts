/** Writes what devices say of messages, of many requests at once. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Receipt } from '../../src/shared/contract';
import { held, isOnPostgres } from '../db/lock';
import { tableOf } from '../db/rows';
import type { Tables, UserRow } from '../db/schema';
import { isKeyOf } from '../http/device-key';
import type { Claimed } from '../http/route';
import { holds } from '../http/session';
import type { Services } from '../services';
import { mark } from './marks';
import type { Asked, Marks } from './marks';

/** What one request says. */
export interface Report {
  /** On whose word. */
  claimed: Claimed;
  receipts: readonly Receipt[];
  /** When it came, in milliseconds since 1970. */
  at: number;
}

/**
 * Records reports one after the other, as if each had a transaction of its own.
 * @returns of each how many of its receipts were new; undefined where its word counts no longer
 */
export async function recordReports(
  reports: readonly Report[],
  transaction: Transaction<Tables>,
  services: Services,
): Promise<(number | undefined)[]> {
  const people = await findPeople(
    reports.map(({ claimed }) => claimed),
    transaction,
    services,
  );
  const entries = await lockEntries(reports, people, transaction);
  const changed = new Set<Entry>();
  const recorded = reports.map(({ receipts, at }, index) => {
    const userId = people[index];
    if (userId === undefined) return undefined;
    let count = 0;
    for (const receipt of receipts) {
      const entry = entries.get(entryKey(userId, receipt.messageId));
      const marks = entry && mark(entry.marks, receipt, entry, at);
      if (entry === undefined || marks === undefined) continue;
      entry.marks = marks;
      changed.add(entry);
      count += 1;
    }
    return count;
  });
  await writeMarks([...changed], transaction);
  return recorded;
}

/** Ids as a subquery: one parameter, whatever their number. */
const idsOf = (ids: Iterable<number>) =>
  sql<number>`(select cast(key as bigint) from ${tableOf([...ids].map((id) => [id, 0]))})`;

/**
 * Whom each of them speaks for, if they still may. People's rows are held until the end, then those
 * of devices, each in the order of their ids: a deletion or a new password comes either before all
 * of this, and refuses it, or after it.
 */
async function findPeople(
  claimed: readonly Claimed[],
  transaction: Transaction<Tables>,
  services: Services,
): Promise<(number | undefined)[]> {
  const sessions = claimed.flatMap((one) => ('session' in one ? [one.session.id] : []));
  const keys = claimed.flatMap((one) => ('key' in one ? [one.key.deviceId] : []));
  // In one list, so that it is read through an index.
  const ids = sql<number>`(select cast(key as bigint) as id from ${tableOf(sessions.map((id) => [id, 0]))}
    union select user_id from devices where id in ${idsOf(keys)})`;
  const users = await held(
    transaction
      .selectFrom('users')
      .select(['id', 'role', 'session_version', 'status'])
      .where('id', 'in', ids)
      .orderBy('id'),
    transaction,
  ).execute();
  const devices =
    keys.length === 0
      ? []
      : await held(
          transaction
            .selectFrom('devices')
            .select(['id', 'user_id', 'key_nonce'])
            .where('id', 'in', idsOf(keys))
            .orderBy('id'),
          transaction,
        ).execute();
  type Person = Pick<UserRow, 'id' | 'role' | 'session_version' | 'status'>;
  const usersById = new Map<number, Person>(users.map((user) => [user.id, user]));
  const devicesById = new Map(devices.map((device) => [device.id, device]));
  return claimed.map((one) => {
    if ('session' in one) {
      const user = usersById.get(one.session.id);
      return user && holds(one.session, user) ? user.id : undefined;
    }
    const device = devicesById.get(one.key.deviceId);
    if (device === undefined || !isKeyOf(one.key, device, services)) return undefined;
    return usersById.get(device.user_id)?.status === 'ACTIVE' ? device.user_id : undefined;
  });
}

/** A row of the ledger, and what its message asks. */
interface Entry extends Asked {
  userId: number;
  seq: number;
  marks: Marks;
}

const entryKey = (userId: number, messageId: string): string => `${userId} ${messageId}`;
/** No message is called otherwise, and PostgreSQL could not even be asked for some text. */
const POSSIBLE_ID = /^[\w-]{1,64}$/;

/**
 * The rows that are spoken of, locked in the order that holds for the ledger. What was not for that
 * person is not among them.
 */
async function lockEntries(
  reports: readonly Report[],
  people: readonly (number | undefined)[],
  transaction: Transaction<Tables>,
): Promise<Map<string, Entry>> {
  const wanted = new Map<string, [messageId: string, userId: number]>();
  for (const [index, { receipts }] of reports.entries()) {
    const userId = people[index];
    if (userId === undefined) continue;
    for (const { messageId } of receipts)
      if (POSSIBLE_ID.test(messageId)) wanted.set(entryKey(userId, messageId), [messageId, userId]);
  }
  if (wanted.size === 0) return new Map();
  const given = sql`(select value->>0 as message_id, cast(value->>1 as bigint) as user_id
    from ${tableOf([...wanted.values()].map((pair, index) => [index, pair]))}) as given`;
  const lock = isOnPostgres(transaction) ? sql`for no key update of recipients` : sql``;
  // In SQLite the words "cross join" keep the order of the tables: each pair is looked up.
  const { rows } =
    await sql<EntryRow>`select recipients.message_id, recipients.user_id, recipients.seq,
      recipients.displayed_at, recipients.read_at, recipients.acknowledged_at, recipients.answer, recipients.late,
      messages.answers, messages.expires_at, coalesce(messages.send_at, messages.created_at) as sent_at
    from ${given} cross join recipients cross join messages
    where recipients.message_id = given.message_id and recipients.user_id = given.user_id and messages.id = given.message_id
    order by recipients.user_id, recipients.seq ${lock}`.execute(transaction);
  return new Map(
    rows.map((row) => [
      entryKey(row.user_id, row.message_id),
      {
        userId: row.user_id,
        seq: row.seq,
        createdAt: row.sent_at,
        expiresAt: row.expires_at,
        answers: JSON.parse(row.answers) as string[],
        marks: {
          displayedAt: row.displayed_at,
          readAt: row.read_at,
          acknowledgedAt: row.acknowledged_at,
          answer: row.answer,
          late: row.late,
        },
      },
    ]),
  );
}

interface EntryRow {
  message_id: string;
  user_id: number;
  seq: number;
  displayed_at: number | null;
  read_at: number | null;
  acknowledged_at: number | null;
  answer: string | null;
  late: 0 | 1;
  answers: string;
  expires_at: number;
  sent_at: number;
}

async function writeMarks(
  entries: readonly Entry[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (entries.length === 0) return;
  const given = entries.map(({ userId, seq, marks }, index): [number, unknown] => {
    const { displayedAt, readAt, acknowledgedAt, answer, late } = marks;
    return [index, [userId, seq, displayedAt, readAt, acknowledgedAt, answer, late]];
  });
  await sql`update recipients set displayed_at = given.displayed_at, read_at = given.read_at,
      acknowledged_at = given.acknowledged_at, answer = given.answer, late = given.late
    from (select cast(value->>0 as bigint) as user_id, cast(value->>1 as bigint) as seq, cast(value->>2 as bigint) as displayed_at,
      cast(value->>3 as bigint) as read_at, cast(value->>4 as bigint) as acknowledged_at, value->>5 as answer,
      cast(value->>6 as integer) as late from ${tableOf(given)}) as given
    where recipients.user_id = given.user_id and recipients.seq = given.seq`.execute(transaction);
}
