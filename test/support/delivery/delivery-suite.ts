/** Delivery with an outbox and a push service, on a clock that only a test moves. */
import { suite } from 'uvu';
import type { Test } from 'uvu';
import webPush from 'web-push';
import type { DeliveryRow } from '../../../server/db/schema';
import {
  startDelivery,
  type Delivery,
  type DeliverySettings,
} from '../../../server/delivery/delivery';
import { createLog } from '../../../server/lib/log';
import { eventually } from '../eventually';
import { createOutbox, type Outbox } from './outbox';
import { startPushSink, type PushSink } from '../push-services/push-sink';
import { localCertificate, trust } from '../network/tls';

export const SUITE_START = Date.parse('2026-11-21T09:30:00Z');
export const testVapidKeys = webPush.generateVAPIDKeys();

export interface DeliverySetup {
  /**
   * `now` is milliseconds since 1970. `elapsed` is what passes beside it on the monotonic clock,
   * negative where `now` jumps.
   */
  clock: { now: number; elapsed: number; isSure: boolean };
  outbox: Outbox;
  sink: PushSink;
  log: string[];
  start(change?: Partial<DeliverySettings>): Delivery;
  /** Resolves once every row has ended, or waits for its next attempt after `attempts`. */
  waitUntilSettled(attempts?: number): Promise<DeliveryRow[]>;
  /** Resolves once `count` rows were tried or ended, and no process holds a row. */
  waitUntilSomeSettled(count: number): Promise<DeliveryRow[]>;
  close(): Promise<void>;
}

/** A suite in which each test has its own setup. */
export function deliverySuite(name: string): { test: Test; setup: DeliverySetup } {
  const test = suite(name);
  const setup = {} as DeliverySetup;
  test.before.each(async () => void Object.assign(setup, await setUp()));
  test.after.each(() => setup.close());
  return { test, setup };
}

async function setUp(): Promise<DeliverySetup> {
  const removeTrust = trust(localCertificate());
  const [outbox, sink] = [await createOutbox(), await startPushSink()];
  const clock = { now: SUITE_START, elapsed: 0, isSure: true };
  const log: string[] = [];
  const running: Delivery[] = [];
  const fixed = {
    db: outbox.db,
    engine: outbox.engine,
    vapid: testVapidKeys,
    subject: 'mailto:ops@example.com',
    appOrigin: 'https://bell.example',
    allowedHosts: [sink.host],
    log: createLog((line) => log.push(line)),
    now: () => clock.now,
    elapsed: () => clock.now + clock.elapsed,
    isClockSure: () => clock.isSure,
    random: () => 0.5,
  };
  return {
    clock,
    outbox,
    sink,
    log,
    start(change) {
      const delivery = startDelivery({ ...fixed, ...change });
      running.push(delivery);
      return delivery;
    },
    waitUntilSettled: (attempts = 1) =>
      eventually(async () => {
        const rows = await outbox.listDeliveries();
        const isDone = rows.every(
          (row) =>
            row.state !== 'pending' || (row.attempts >= attempts && row.claimed_until === null),
        );
        return isDone && rows;
      }, 'all rows to be settled'),
    waitUntilSomeSettled: (count) =>
      eventually(async () => {
        const rows = await outbox.listDeliveries();
        return (
          rows.every((row) => row.claimed_until === null) &&
          rows.filter(({ state, attempts }) => state !== 'pending' || attempts > 0).length >=
            count &&
          rows
        );
      }, `${count} rows to be settled`),
    async close() {
      for (const delivery of running) await delivery.stop();
      await sink.close();
      await outbox.close();
      removeTrust();
    },
  };
}
