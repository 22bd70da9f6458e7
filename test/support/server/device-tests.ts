/** Device tests, with the answers of push services and devices. */
import type { Receipt, DeviceTest } from '../../../src/shared/contract';
import type { ClaimedPush } from '../../../server/db/outbox/claimed-push';
import { claimDue } from '../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import type { DeviceReachRow } from '../../../server/db/schema';
import { settlePush } from '../../../server/delivery/queue/settle';
import type { PushOutcome } from '../../../server/delivery/transport';
import type { Person, TestServer } from './server';

const RECORDING_DELAY_MS = 40;
const START_TEST_CALL = 'POST /api/notifications/tests';

export type PushReply = Exclude<PushOutcome, { kind: 'withdrawn' }>;

export interface TestDevice {
  id: number;
  key: { token: string };
}

/** @param server the server of the running test */
export function createDeviceTestHelpers(server: TestServer) {
  const { services } = server;
  const claimAll = async (): Promise<ClaimedPush[]> => {
    const serviceRows = await services.db
      .selectFrom('deliveries')
      .select('service_id')
      .distinct()
      .execute();
    return claimDue(services.db, server.engine, {
      now: server.clock.now,
      leaseMs: 30_000,
      from: serviceRows.map(({ service_id }) => ({ service: service_id, limit: 10_000 })),
    });
  };
  const settleAll = (claims: readonly ClaimedPush[], outcome: PushReply): Promise<void> => {
    const { now } = server.clock;
    const settlements = claims.map((claim) => settlePush(claim, outcome, now, () => 0.5));
    // A worker records several at once, a moment after the answers.
    return recordOutcomes(services.db, settlements, now + RECORDING_DELAY_MS);
  };
  return {
    async register(as: Person, deviceToken: string): Promise<TestDevice> {
      const { body } = await server.registerDevice(as, deviceToken);
      return { id: body.id, key: { token: body.deviceKey } };
    },
    startTest: (as: Person, deviceId: number, delay?: number) =>
      server.call(START_TEST_CALL, {
        as,
        body: { deviceId, ...(delay !== undefined && { delay }) },
      }),
    requestTest: (as: Person, id: string) =>
      server.call('GET /api/notifications/tests/:id', { as, params: { id } }),
    async readTest(as: Person, id: string): Promise<DeviceTest> {
      const { body } = await server.call('GET /api/notifications/tests/:id', {
        as,
        params: { id },
      });
      return body;
    },
    answerSound: (as: Person, id: string, heard: boolean) =>
      server.call('POST /api/notifications/tests/:id/heard', {
        as,
        params: { id },
        body: { heard },
      }),
    async reportReceipts(as: { token: string }, ...receipts: Receipt[]): Promise<number> {
      const { body } = await server.sendReceipts(as, receipts);
      return body.recorded;
    },
    claimAll,
    settleClaims: settleAll,
    /**
     * Attempts due pushes, with this answer from push services.
     * @returns how many were tried
     */
    async settleDue(outcome: PushReply): Promise<number> {
      const claims = await claimAll();
      await settleAll(claims, outcome);
      return claims.length;
    },
    readReach: (device: TestDevice): Promise<DeviceReachRow | undefined> =>
      services.db
        .selectFrom('device_reach')
        .selectAll()
        .where('device_id', '=', device.id)
        .executeTakeFirst(),
  };
}
