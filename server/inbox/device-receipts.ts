/** What receipts report of a device: progress of a test, and displayed or pressed pushes. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Receipt } from '../../src/shared/contract';
import { updateReach } from '../db/device-reach/device-reach';
import type { DeviceEvent } from '../db/device-reach/device-reach';
import { isOnPostgres } from '../db/lock';
import { jsonTableOfList } from '../db/json-table';
import type { Tables, TestRow } from '../db/schema';
import { receiptTime } from '../lib/receipt-time';

export interface DeviceReceipt {
  /** Devices that the caller may report on; for messages only the key's own. */
  deviceIds: readonly number[];
  receipt: Receipt;
  /** Arrival, in milliseconds since 1970. */
  at: number;
  /** When the message was sent; undefined if its person has no such message. */
  sentAt: number | undefined;
  index: number;
}

/** Callers write the ledger first. Locks tests, then the devices' reach, in order of ids. */
export async function recordDeviceReceipts(
  receipts: readonly DeviceReceipt[],
  transaction: Transaction<Tables>,
): Promise<Map<number, number>> {
  const tests = await lockTests(
    receipts.flatMap(({ sentAt, receipt }) => (sentAt === undefined ? receipt.messageId : [])),
    transaction,
  );
  const counts = new Map<number, number>();
  const changedKeys = new Set<string>();
  const displays: DeviceEvent[] = [];
  const addDisplay = (
    { receipt, at }: DeviceReceipt,
    deviceId: number | undefined,
    sentAt: number,
  ): void => {
    if (deviceId === undefined || !provesDisplay(receipt)) return;
    const { messageId: id, kind } = receipt;
    const event = kind === 'displayed' ? 'displayed' : 'pressed';
    displays.push({ deviceId, id, at: receiptTime(receipt, sentAt, at), sentAt, kind: event });
  };
  for (const deviceReceipt of receipts) {
    const { deviceIds, receipt, at, sentAt, index } = deviceReceipt;
    if (sentAt !== undefined) {
      addDisplay(deviceReceipt, deviceIds[0], sentAt);
      continue;
    }
    const formerTest = tests.get(receipt.messageId);
    const isOwn = formerTest !== undefined && deviceIds.includes(formerTest.device_id);
    const markedTest =
      isOwn && hasLeft(formerTest, at) ? markTest(formerTest, receipt, at) : undefined;
    if (markedTest === undefined) continue;
    tests.set(markedTest.id, markedTest);
    changedKeys.add(markedTest.id);
    counts.set(index, (counts.get(index) ?? 0) + 1);
    addDisplay(deviceReceipt, markedTest.device_id, markedTest.send_at);
  }
  await writeTests(
    [...changedKeys].flatMap((id) => tests.get(id) ?? []),
    transaction,
  );
  await updateReach(displays, transaction);
  return counts;
}

/** Whether a receipt with a device's key proves that the device displays pushes. */
export const provesDisplay = ({ kind, inApp }: Receipt): boolean =>
  kind === 'displayed' || ((kind === 'read' || kind === 'acknowledged') && inApp !== true);

type TestState = Pick<
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

/** The moment of a delayed test is secret until it leaves. */
const hasLeft = ({ announced_at, send_at, accepted_at }: TestState, now: number): boolean =>
  send_at <= now || send_at === announced_at || accepted_at !== null;

/** The first of a kind counts; each implies `received`. */
function markTest(test: TestState, receipt: Receipt, now: number): TestState | undefined {
  const time = receiptTime(receipt, test.send_at, now);
  const updatedTest = { ...test, received_at: test.received_at ?? time };
  switch (receipt.kind) {
    case 'received':
      return test.received_at === null ? updatedTest : undefined;
    case 'displayed':
      if (test.displayed_at !== null) return undefined;
      return test.failure_stage === 'heard'
        ? { ...updatedTest, displayed_at: time }
        : { ...updatedTest, displayed_at: time, failure_stage: null, failure_reason: null };
    case 'refused': {
      const hasDisplayResult = test.displayed_at !== null || test.failure_stage === 'displayed';
      if (hasDisplayResult || test.failure_stage === 'heard') return undefined;
      return { ...updatedTest, failure_stage: 'displayed', failure_reason: 'refused' };
    }
    default:
      return undefined;
  }
}

async function lockTests(
  ids: readonly string[],
  transaction: Transaction<Tables>,
): Promise<Map<string, TestState>> {
  if (ids.length === 0) return new Map();
  const idTable = jsonTableOfList([...new Set(ids)].map((id) => [id]));
  const lock = isOnPostgres(transaction) ? sql`for no key update of tests` : sql``;
  const { rows } =
    await sql<TestState>`select id, device_id, announced_at, send_at, accepted_at, received_at, displayed_at, failure_stage, failure_reason
    from tests where id in (select value->>0 from ${idTable}) order by id ${lock}`.execute(
      transaction,
    );
  return new Map(rows.map((row) => [row.id, row]));
}

async function writeTests(
  tests: readonly TestState[],
  transaction: Transaction<Tables>,
): Promise<void> {
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
      value->>3 as failure_stage, value->>4 as failure_reason from ${jsonTableOfList(rows)}) as given
    where tests.id = given.id`.execute(transaction);
}
