/** Machines that call regularly, and the messages about them. */
import type { Heartbeat } from '../../../src/shared/contract';
import type { MessageRow } from '../../../server/db/schema';
import { createTopicKey, withTopicKey } from './topic-keys';
import type { Person, TestServer } from './server';

const SECOND_MS = 1000;

/** @param server the server of the running test */
export function createHeartbeatHelpers(server: TestServer) {
  let key = '';
  return {
    async createKey(topic: number): Promise<void> {
      key = await createTopicKey(server, topic);
    },
    /** Calls a heartbeat like `curl`. */
    sendHeartbeat: (
      path: string,
      init: RequestInit & { headers?: Record<string, string> } = {},
    ): Promise<Response> =>
      server.request(`/api/heartbeat/${path}`, withTopicKey(key, { headers: {}, ...init })),
    /** Moves the clock second by second, like the job runner, and runs due jobs. */
    async advance(seconds: number, stepSeconds = 20): Promise<void> {
      for (let secondsLeft = seconds; secondsLeft > 0; secondsLeft -= stepSeconds) {
        server.clock.now += Math.min(secondsLeft, stepSeconds) * SECOND_MS;
        await server.jobs.runDue();
      }
    },
    async listHeartbeats(as: Person, topic: number): Promise<Heartbeat[]> {
      const params = { id: topic };
      const { body } = await server.call('GET /api/admin/topics/:id/heartbeats', { as, params });
      return body.heartbeats;
    },
    /** The messages in the order in which they were sent. */
    readMessages: (): Promise<MessageRow[]> =>
      server.services.db.selectFrom('messages').selectAll().orderBy('created_at').execute(),
  };
}
