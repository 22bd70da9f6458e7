/** Check-ins and their messages. */
import type { Body, CheckIn } from '../../../src/shared/contract';
import type { MessageRow } from '../../../server/db/schema';
import type { Person, TestServer } from './server';

const MINUTE_MS = 60_000;

/** @param server the server of the running test */
export function createCheckInHelpers(server: TestServer) {
  let admin: Person | undefined;
  return {
    admin: (): Person => {
      if (admin === undefined) throw new Error('Call enable before this: check-ins are off.');
      return admin;
    },
    async enable(alarmTopicId: number, graceMinutes = 5): Promise<void> {
      admin = await server.createPerson('ADMIN');
      const body = { enabled: true, graceMinutes, alarmTopicId, policyId: null };
      const { status } = await server.call('PUT /api/admin/check-ins/settings', {
        as: admin,
        body,
      });
      if (status !== 200) throw new Error(`Enabling check-ins failed: ${status}`);
    },
    async startCheckIn(as: Person, body: Body<'POST /api/check-ins'>): Promise<CheckIn> {
      const { status, body: started } = await server.call('POST /api/check-ins', { as, body });
      if (status !== 201) throw new Error(`Starting a check-in failed: ${status}`);
      return started;
    },
    /** Moves the clock, and runs due jobs. */
    async advance(minutes: number): Promise<void> {
      server.clock.now += minutes * MINUTE_MS;
      await server.jobs.runDue();
    },
    /** In the order in which they were sent; an alarm after the reminder that tells of it. */
    async readMessages(title?: string): Promise<(MessageRow & { title: string })[]> {
      const rows = await server.services.db
        .selectFrom('messages')
        .selectAll()
        .$if(title !== undefined, (query) => query.where('title', '=', title ?? ''))
        .orderBy('created_at')
        .orderBy('kind', 'desc')
        .execute();
      return rows.map((row) => ({ ...row, title: row.title ?? '' }));
    },
  };
}
