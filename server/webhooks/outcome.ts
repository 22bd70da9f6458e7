/** What is recorded of a webhook when it was called. */
import type { Transaction } from 'kysely';
import { takenAlone } from '../db/lock';
import type { Tables, WebhookRow } from '../db/schema';
import type { HttpsAnswer } from '../delivery/https/answer';
import type { Log } from '../lib/log';
import { dropCalls } from './webhooks';

const DAY = 24 * 60 * 60 * 1000;
/** One that fails for so long is switched off. */
const FAILING_MILLISECONDS = 3 * DAY;
const GONE = 410;

/** What became of a webhook by an answer; undefined if it is as before. */
export type Change = 'failing' | 'works' | 'off';

export const answerStatus = (answer: HttpsAnswer): number =>
  answer.is === 'answered' ? answer.status : 0;
export const isSuccess = (answer: HttpsAnswer): boolean => {
  const status = answerStatus(answer);
  return status >= 200 && status < 300;
};

/**
 * Records the last answer. 410 switches a webhook off at once (Standard Webhooks, "Webhook response
 * codes"), as three days of failing do: then nothing waits for it any more. Only a test that succeeds
 * switches it on, and no call that was under way when it was switched off.
 * @param now when it was answered, in milliseconds since 1970
 * @returns undefined if there is no such webhook any more
 */
export async function recordAnswer(
  id: number,
  answer: HttpsAnswer,
  transaction: Transaction<Tables>,
  now: number,
  isTest = false,
): Promise<{ webhook: WebhookRow; change: Change | undefined } | undefined> {
  const own = transaction.selectFrom('webhooks').selectAll().where('id', '=', id);
  const before = await takenAlone(own, transaction).executeTakeFirst();
  if (before === undefined) return undefined;
  const status = answerStatus(answer);
  const isGood = isSuccess(answer) && (isTest || before.off_since === null);
  const failingSince = isGood ? null : (before.failing_since ?? now);
  const isOver =
    status === GONE || (failingSince !== null && failingSince <= now - FAILING_MILLISECONDS);
  const after = {
    last_status: status,
    last_at: now,
    failing_since: failingSince,
    off_since: isGood ? null : (before.off_since ?? (isOver ? now : null)),
  };
  await transaction.updateTable('webhooks').set(after).where('id', '=', id).execute();
  if (after.off_since !== null) await dropCalls(id, 'webhook-off', transaction);
  return { webhook: { ...before, ...after }, change: changeOf(before, after) };
}

type Standing = Pick<WebhookRow, 'failing_since' | 'off_since'>;

function changeOf(before: Standing, after: Standing): Change | undefined {
  if (before.off_since === null && after.off_since !== null) return 'off';
  if (before.failing_since === null && after.failing_since !== null) return 'failing';
  return before.failing_since !== null && after.failing_since === null ? 'works' : undefined;
}

/** Once for each change, so that a webhook that fails for days does not fill the log. */
export function logChange(
  id: number,
  change: Change | undefined,
  answer: HttpsAnswer,
  log: Log,
): void {
  const status = answerStatus(answer);
  // Codes of ours and of the system: they name no address.
  const reason = 'reason' in answer ? { reason: answer.reason } : {};
  const fields = { webhook: id, status, ...reason };
  if (change === 'off')
    log.error('webhook switched off', {
      alert: true,
      ...fields,
      help: 'It answered 410, or failed for three days. A test that succeeds switches it on.',
    });
  else if (change === 'failing') log.warn('webhook fails', fields);
  else if (change === 'works') log.info('webhook works again', fields);
}
