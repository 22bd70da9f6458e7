/** Calls of webhooks, written with the event they report and made at least once. */
import { randomUUID } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { WebhookEvent } from '../../src/shared/contract';
import type { Database } from './open';
import type { Tables } from './schema';

/** Waiting calls per webhook; more are dropped, so that a dead receiver cannot fill the disk. */
export const MAX_WAITING_CALLS = 1000;
/** Calls of escalation steps may exceed the limit of events. */
const MAX_WAITING_CALLS_WITH_STEPS = 2 * MAX_WAITING_CALLS;
/** People or devices in one call, to keep its body within 20 kB. */
export const MAX_ITEMS_PER_CALL = 100;

/** The body of a call, documented in server/README. */
interface WebhookCall {
  type: WebhookEvent | 'test';
  data: object;
}

/** The step that requests a call, and its number of people. */
interface CallingStep {
  messageId: string;
  position: number;
  people: number;
}

/** Adds a step's call to one webhook, whatever its events. */
export async function addCall(
  webhookId: number,
  call: WebhookCall,
  step: CallingStep,
  transaction: Transaction<Tables>,
  now: number,
): Promise<'written' | 'off' | 'full'> {
  const webhook = await transaction
    .selectFrom('webhooks')
    .where('id', '=', webhookId)
    .where('off_since', 'is', null)
    .select('id')
    .executeTakeFirst();
  if (webhook === undefined) return 'off';
  const insertedCount = await writeCalls(
    webhook.id,
    call,
    MAX_WAITING_CALLS_WITH_STEPS,
    transaction,
    now,
    step,
  );
  return insertedCount ? 'written' : 'full';
}

/**
 * Adds an event's calls to all webhooks that listen to it.
 * @param read returns the `data` of each call; called only if a webhook listens
 * @param except a webhook that a step calls by itself
 */
export async function addWebhookCalls(
  type: WebhookEvent,
  read: () => Promise<readonly object[]> | readonly object[],
  transaction: Transaction<Tables>,
  now: number,
  except: number | null = null,
): Promise<void> {
  const listeners = await transaction
    .selectFrom('webhooks')
    .where(listensTo(type))
    .where('id', '<>', except ?? 0)
    .orderBy('id')
    .select('id')
    .execute();
  if (listeners.length === 0) return;
  for (const data of await read())
    for (const { id } of listeners)
      await writeCalls(id, { type, data }, MAX_WAITING_CALLS, transaction, now);
}

/** Whether the query's webhook is enabled and listens to it. */
export const listensTo = (type: WebhookEvent): RawBuilder<SqlBool> =>
  sql`webhooks.off_since is null and webhooks.events like ${`%"${type}"%`}`;

async function writeCalls(
  webhookId: number,
  { type, data }: WebhookCall,
  limit: number,
  transaction: Transaction<Tables>,
  now: number,
  step?: CallingStep,
): Promise<boolean> {
  const { waiting } = await transaction
    .selectFrom('webhook_calls')
    .where('webhook_id', '=', webhookId)
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow();
  if (waiting >= limit) return false;
  await transaction
    .insertInto('webhook_calls')
    .values({
      id: randomUUID(),
      webhook_id: webhookId,
      body: JSON.stringify({ type, timestamp: new Date(now).toISOString(), data }),
      created_at: now,
      due_at: now,
      ...(step && { message_id: step.messageId, position: step.position, people: step.people }),
    })
    .execute();
  return true;
}

/** Splits a list into the parts that each call may hold. */
export function splitIntoCalls<Item>(
  items: readonly Item[],
  maxItems = MAX_ITEMS_PER_CALL,
): Item[][] {
  const lists: Item[][] = [];
  for (let from = 0; from < items.length; from += maxItems)
    lists.push(items.slice(from, from + maxItems));
  return lists;
}

export async function countCalls(db: Database): Promise<number> {
  const { waiting } = await db
    .selectFrom('webhook_calls')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow();
  return waiting;
}
