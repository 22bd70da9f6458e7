/** A message's escalation, for its sender. */
import type { Escalation, EscalationStep } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { sanitizeIdFromUrl } from '../lib/url-id';
import { messageNotFoundError } from '../http/errors';
import { readOutcomes, readTopicOutcome, withWebhookReply } from './outcomes';
import { readPolicy } from './plan-steps';
import type { MessagePolicy } from './plan-steps';
import { toTimeOrNull } from '../lib/clock';

/** No one notifies this often by hand. Further notifications are not shown. */
const MAX_TIMELINE_STEPS = 500;
/** After a message expires, calls are retried for this time at most. */
const CALL_RETRY_PERIOD_MS = 2 * 24 * 60 * 60 * 1000;

/**
 * @param withPaths with whole webhook URLs, whose paths may be secret; only administrators see them
 * @throws HttpError 404, also for device tests
 */
export async function readTimeline(
  id: string,
  withPaths: boolean,
  db: Database,
  now: number,
): Promise<Escalation> {
  const message = await db
    .selectFrom('messages')
    .leftJoin('users', 'users.id', 'messages.stopped_by')
    .select(['policy', 'stopped', 'stopped_at', 'expires_at', 'users.username as stoppedBy'])
    .where('messages.id', '=', sanitizeIdFromUrl(id))
    .where('messages.kind', '=', 'message')
    .executeTakeFirst();
  if (message === undefined) throw messageNotFoundError();
  const policy = readPolicy(message) ?? null;
  const hasEnded = policy !== null && message.stopped === null && message.expires_at <= now;
  return {
    policy: withPaths || policy === null ? policy : withoutPaths(policy),
    stopped: message.stopped ?? (hasEnded ? 'expired' : null),
    stoppedAt: toTimeOrNull(hasEnded ? message.expires_at : message.stopped_at),
    stoppedBy: message.stoppedBy,
    steps: await readSteps(id, now > message.expires_at + CALL_RETRY_PERIOD_MS, db),
  };
}

const withoutPaths = (policy: MessagePolicy): MessagePolicy => ({
  ...policy,
  steps: policy.steps.map(({ url, ...step }) => ({
    ...step,
    ...(url !== undefined && { url: new URL(url).origin }),
  })),
});

async function readSteps(
  id: string,
  isMessageOver: boolean,
  db: Database,
): Promise<EscalationStep[]> {
  const rows = await db
    .selectFrom('escalation_steps as step')
    .leftJoin('users', 'users.id', 'step.user_id')
    .leftJoin('topics', 'topics.id', 'step.topic_id')
    .leftJoin('webhooks', 'webhooks.id', 'step.webhook_id')
    .select([
      'step.action',
      'step.position',
      'step.due_at',
      'step.done_at',
      'step.people',
      'step.sent_id',
      'topics.title as topic',
      'users.username as by',
      'webhooks.failing_since',
      'webhooks.last_status',
    ])
    .where('step.message_id', '=', id)
    .orderBy('step.due_at')
    .orderBy('step.position')
    .limit(MAX_TIMELINE_STEPS)
    .execute();
  const outcomes = await readOutcomes(id, isMessageOver, db);
  const steps: EscalationStep[] = [];
  for (const {
    action,
    position,
    due_at,
    done_at,
    people,
    topic,
    by,
    sent_id,
    ...webhook
  } of rows) {
    const outcome =
      sent_id === null
        ? outcomes.get(position)
        : await readTopicOutcome(sent_id, isMessageOver, db);
    steps.push({
      action,
      dueAt: new Date(due_at).toISOString(),
      doneAt: toTimeOrNull(done_at),
      people: done_at === null ? null : people,
      topic,
      by,
      outcome:
        done_at === null || outcome === undefined ? null : withWebhookReply(outcome, webhook),
      messageId: sent_id,
    });
  }
  return steps;
}
