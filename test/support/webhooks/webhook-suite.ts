/** A server with a receiver of its webhooks, on a clock that only a test moves. */
import { suite } from 'uvu';
import type { Test } from 'uvu';
import type { WebhookEvent } from '../../../src/shared/contract';
import { inTransaction } from '../../../server/db/transaction';
import type { WebhookRow } from '../../../server/db/schema';
import { addWebhookCalls } from '../../../server/db/webhook-calls';
import { localCertificate, trust } from '../network/tls';
import { type Person, type TestServer, createServer } from '../server/server';
import { type WebhookReceiver, startReceiver } from './receiver';

export interface WebhookSetup {
  server: TestServer;
  receiver: WebhookReceiver;
  admin: Person;
  /**
   * A webhook to this path of the receiver.
   * @returns its id
   */
  addWebhook(path: string, events?: WebhookEvent[]): Promise<number>;
  queueEvents(...data: object[]): Promise<void>;
  /** Adds `count` calls of one webhook. */
  queueCalls(id: number, count: number): Promise<void>;
  readWebhook(id: number): Promise<WebhookRow>;
  countWaiting(): Promise<number>;
  /** Moves the clock, and runs all due calls. */
  advance(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** A suite in which each test has its own setup. */
export function webhookSuite(
  name: string,
  environment: Record<string, string> = {},
): { test: Test; setup: WebhookSetup } {
  const test = suite(name);
  const setup = {} as WebhookSetup;
  test.before.each(async () => void Object.assign(setup, await setUp(environment)));
  test.after.each(() => setup.close());
  return { test, setup };
}

async function setUp(environment: Record<string, string>): Promise<WebhookSetup> {
  const removeTrust = trust(localCertificate());
  const receiver = await startReceiver(() => server.clock.now);
  const server = await createServer({
    environment: { WEBHOOK_ALLOWED_HOSTS: receiver.host, ...environment },
  });
  const { db } = server.services;
  const admin = await server.createPerson('ADMIN');
  const countWaiting = async (): Promise<number> =>
    (await db.selectFrom('webhook_calls').select('id').execute()).length;
  return {
    server,
    receiver,
    admin,
    async addWebhook(path, events = ['message.sent']) {
      const { body } = await server.call('POST /api/admin/webhooks', {
        as: admin,
        body: { url: receiver.urlOf(path), events },
      });
      receiver.secrets.set(path, body.secret);
      return body.id;
    },
    async queueEvents(...data) {
      await inTransaction(db, (transaction) =>
        addWebhookCalls('message.sent', () => data, transaction, server.clock.now),
      );
    },
    async queueCalls(webhook_id, count) {
      const { now } = server.clock;
      const body = JSON.stringify({ type: 'message.sent', timestamp: '', data: {} });
      await db
        .insertInto('webhook_calls')
        .values(
          Array.from({ length: count }, () => ({
            ...{ id: crypto.randomUUID(), webhook_id, body },
            ...{ created_at: now, due_at: now },
          })),
        )
        .execute();
    },
    readWebhook: (id) =>
      db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    countWaiting,
    async advance(milliseconds) {
      const end = server.clock.now + milliseconds;
      for (;;) {
        await server.webhookRunner.runDue();
        const calls = await db.selectFrom('webhook_calls').select('due_at').execute();
        const next = Math.min(...calls.map(({ due_at }) => due_at));
        if (next > end) break;
        server.clock.now = Math.max(server.clock.now, next);
      }
      server.clock.now = end;
    },
    async close() {
      await receiver.close();
      await server.close();
      removeTrust();
    },
  };
}
