/**
 * What webhooks are to be told, written in the transaction in which it happens: it is told if that
 * is committed, at least once (`webhooks/calling.ts`), and survives the process.
 */
import { randomUUID } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { WebhookEvent } from '../../src/shared/contract';
import type { Database } from './open';
import type { Tables } from './schema';

/**
 * So many calls wait for one webhook at most. What comes then is not kept: a receiver that takes
 * nothing must not fill the disk.
 */
export const MAX_WAITING_CALLS = 1000;
/** Steps of policies wake somebody: events that nobody takes leave them so much room. */
const MAX_WITH_STEPS = 2 * MAX_WAITING_CALLS;
/** So many people or devices go into one call, so that its body stays within 20 kB. */
export const MAX_IN_CALL = 100;

/** What of an event a call says; what a receiver needs to know of it is in server/README. */
interface WebhookCall {
  type: WebhookEvent | 'test';
  data: object;
}

/** The step that asks for a call, and for how many people. */
interface CallingStep {
  messageId: string;
  position: number;
  people: number;
}

/**
 * Has one webhook called by a step, whatever events it listens to.
 * @returns whether it is: not if the webhook is off or gone, nor if too many calls wait for it
 */
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
  const written = await write(webhook.id, call, MAX_WITH_STEPS, transaction, now, step);
  return written ? 'written' : 'full';
}

/**
 * Has all webhooks called that listen to an event.
 * @param read the `data` of each call that is to be made; asked only if somebody listens
 * @param except the webhook that a step calls by itself: it hears once
 */
export async function addCalls(
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
      await write(id, { type, data }, MAX_WAITING_CALLS, transaction, now);
}

/** Whether a webhook of the query is on, and listens to it. */
export const listensTo = (type: WebhookEvent): RawBuilder<SqlBool> =>
  sql`webhooks.off_since is null and webhooks.events like ${`%"${type}"%`}`;

async function write(
  webhookId: number,
  { type, data }: WebhookCall,
  most: number,
  transaction: Transaction<Tables>,
  now: number,
  step?: CallingStep,
): Promise<boolean> {
  const { waiting } = await transaction
    .selectFrom('webhook_calls')
    .where('webhook_id', '=', webhookId)
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow();
  if (waiting >= most) return false;
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

/** Lists for calls, of which none is too long. */
export function inCalls<Item>(items: readonly Item[]): Item[][] {
  const lists: Item[][] = [];
  for (let from = 0; from < items.length; from += MAX_IN_CALL)
    lists.push(items.slice(from, from + MAX_IN_CALL));
  return lists;
}

/** How many wait, for all webhooks together. */
export async function countCalls(db: Database): Promise<number> {
  const { waiting } = await db
    .selectFrom('webhook_calls')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow();
  return waiting;
}
