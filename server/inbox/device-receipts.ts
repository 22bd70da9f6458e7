/**
 * What receipts tell of a device rather than of its person: how a test of it went, and that its
 * pushes are displayed, or pressed. They come by the device's key. Those of tests also by the login token of the
 * session which registered the device: its page passes on what the worker could not tell.
 */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Receipt } from '../../src/shared/contract';
import { followPushes } from '../db/device-reach/device-reach';
import type { DeviceEvent } from '../db/device-reach/device-reach';
import { isOnPostgres } from '../db/lock';
import { tableOfList } from '../db/json-table';
import type { Tables, TestRow } from '../db/schema';
import { timeOf } from './marks';

export interface DeviceWord {
  /** Of which devices it may speak; of a message's display or press there is one, that of the key. */
  deviceIds: readonly number[];
  receipt: Receipt;
  /** When it came, in milliseconds since 1970. */
  at: number;
  /** When its message left; undefined where none of that id was for the device's person. */
  sentAt: number | undefined;
  /** To which of the reports it belongs. */
  index: number;
}

/**
 * To be called in the transaction that holds the devices, after the ledger: what it locks are tests
 * in the order of their ids, then the reach of the devices in that of theirs.
 * @returns how many receipts of tests were new, by report
 */
export async function recordWords(
  words: readonly DeviceWord[],
  transaction: Transaction<Tables>,
): Promise<Map<number, number>> {
  const tests = await lockTests(
    words.flatMap(({ sentAt, receipt }) => (sentAt === undefined ? receipt.messageId : [])),
    transaction,
  );
  const counts = new Map<number, number>();
  const changed = new Set<string>();
  const displays: DeviceEvent[] = [];
  const display = (
    { receipt, at }: DeviceWord,
    deviceId: number | undefined,
    sentAt: number,
  ): void => {
    if (deviceId === undefined || !provesDisplay(receipt)) return;
    const { messageId: id, kind } = receipt;
    const is = kind === 'displayed' ? 'displayed' : 'pressed';
    displays.push({ deviceId, id, at: timeOf(receipt, sentAt, at), sentAt, is });
  };
  for (const word of words) {
    const { deviceIds, receipt, at, sentAt, index } = word;
    if (sentAt !== undefined) {
      display(word, deviceIds[0], sentAt);
      continue;
    }
    const before = tests.get(receipt.messageId);
    const isOwn = before !== undefined && deviceIds.includes(before.device_id);
    const after = isOwn && hasLeft(before, at) ? markTest(before, receipt, at) : undefined;
    if (after === undefined) continue;
    tests.set(after.id, after);
    changed.add(after.id);
    counts.set(index, (counts.get(index) ?? 0) + 1);
    display(word, after.device_id, after.send_at);
  }
  await writeTests(
    [...changed].flatMap((id) => tests.get(id) ?? []),
    transaction,
  );
  await followPushes(displays, transaction);
  return counts;
}

/** Whether it proves, told by a device's key, that the device displays what it is sent. */
export const provesDisplay = ({ kind, inApp }: Receipt): boolean =>
  kind === 'displayed' || ((kind === 'read' || kind === 'acknowledged') && inApp !== true);

type Told = Pick<
  TestRow,
  | 'id'
  | 'device_id'
  | 'announced_at'
  | 'send_at'
  | 'accepted_at'
  | 'received_at'
  | 'displayed_at'
  | 'failure_stage'
  | 'failure_reason'
>;

/**
 * Whether a device can have heard of it: the moment at which a test with a delay leaves is nobody's
 * to learn before. The clocks of processes differ a little, so what has no delay, or was
 * accepted, has left.
 */
const hasLeft = ({ announced_at, send_at, accepted_at }: Told, now: number): boolean =>
  send_at <= now || send_at === announced_at || accepted_at !== null;

/** The first of a kind wins; each implies that the push was received. */
function markTest(test: Told, receipt: Receipt, now: number): Told | undefined {
  const time = timeOf(receipt, test.send_at, now);
  const received = { ...test, received_at: test.received_at ?? time };
  switch (receipt.kind) {
    case 'received':
      return test.received_at === null ? received : undefined;
    case 'displayed':
      if (test.displayed_at !== null) return undefined;
      // What the person says of it stays.
      return test.failure_stage === 'heard'
        ? { ...received, displayed_at: time }
        : { ...received, displayed_at: time, failure_stage: null, failure_reason: null };
    case 'refused': {
      const isKnown = test.displayed_at !== null || test.failure_stage === 'displayed';
      if (isKnown || test.failure_stage === 'heard') return undefined;
      return { ...received, failure_stage: 'displayed', failure_reason: 'refused' };
    }
    default:
      return undefined;
  }
}

async function lockTests(
  ids: readonly string[],
  transaction: Transaction<Tables>,
): Promise<Map<string, Told>> {
  if (ids.length === 0) return new Map();
  const asked = tableOfList([...new Set(ids)].map((id) => [id]));
  const lock = isOnPostgres(transaction) ? sql`for no key update of tests` : sql``;
  const { rows } =
    await sql<Told>`select id, device_id, announced_at, send_at, accepted_at, received_at, displayed_at, failure_stage, failure_reason
    from tests where id in (select value->>0 from ${asked}) order by id ${lock}`.execute(
      transaction,
    );
  return new Map(rows.map((row) => [row.id, row]));
}

async function writeTests(tests: readonly Told[], transaction: Transaction<Tables>): Promise<void> {
  if (tests.length === 0) return;
  const rows = tests.map((test) => [
    test.id,
    test.received_at,
    test.displayed_at,
    test.failure_stage,
    test.failure_reason,
  ]);
  await sql`update tests set received_at = given.received_at, displayed_at = given.displayed_at,
      failure_stage = given.failure_stage, failure_reason = given.failure_reason
    from (select value->>0 as id, cast(value->>1 as bigint) as received_at, cast(value->>2 as bigint) as displayed_at,
      value->>3 as failure_stage, value->>4 as failure_reason from ${tableOfList(rows)}) as given
    where tests.id = given.id`.execute(transaction);
}
