/** Whether a policy's step can work: one rule for warnings and for the step itself. */
import { type SqlBool, sql } from 'kysely';
import type { PolicyStep, StepProblem, TargetProblem } from '../../src/shared/contract';
import type { Config } from '../config/config';
import type { Database } from '../db/open';
import { idList } from '../db/json-table';
import type { EscalationStepRow, WebhookRow } from '../db/schema';

/** Topics without subscribers that no policy names, so that a form can warn about them. */
const MAX_EMPTY_TOPICS = 500;

type MailSetup = Pick<Config, 'smtpUrl'>;

/** If no mail server is set up, mails become files that people never see. */
const findMailProblem = ({ smtpUrl }: MailSetup): StepProblem | undefined =>
  smtpUrl === undefined ? 'mail-not-set-up' : undefined;

function findWebhookProblem(
  webhook: Pick<WebhookRow, 'off_since' | 'failing_since'> | undefined,
): StepProblem | undefined {
  if (webhook === undefined) return 'webhook-removed';
  if (webhook.off_since !== null) return 'webhook-off';
  return webhook.failing_since === null ? undefined : 'webhook-failing';
}

const findTopicProblem = (topic: { subscribed: unknown } | undefined): StepProblem | undefined =>
  topic === undefined ? 'topic-deleted' : topic.subscribed ? undefined : 'topic-empty';

/** What prevents a step from being tried. */
export async function findObstacle(
  { action, topic_id, webhook_id }: EscalationStepRow,
  config: MailSetup,
  db: Database,
): Promise<StepProblem | undefined> {
  if (action === 'mail') return findMailProblem(config);
  if (action === 'notify')
    return findTopicProblem(
      await selectTopics(db)
        .where('id', '=', topic_id ?? 0)
        .executeTakeFirst(),
    );
  if (action !== 'webhook') return undefined;
  const webhook = db.selectFrom('webhooks').select(['off_since', 'failing_since']);
  const problem = findWebhookProblem(
    await webhook.where('id', '=', webhook_id ?? 0).executeTakeFirst(),
  );
  // A failing webhook may work again, and its call is retried for a day.
  return problem === 'webhook-failing' ? undefined : problem;
}

/**
 * What steps can't use now.
 * @param steps of all policies, which may name deleted targets
 */
export async function listProblems(
  steps: readonly PolicyStep[],
  config: MailSetup,
  db: Database,
): Promise<TargetProblem[]> {
  const mail = findMailProblem(config);
  const webhooks = await db
    .selectFrom('webhooks')
    .select(['url', 'off_since', 'failing_since'])
    .execute();
  const urls = new Set([...webhooks, ...steps].flatMap(({ url }) => url ?? []));
  const topicIds = new Set(steps.flatMap(({ topicId }) => topicId ?? []));
  const isNamed = sql<SqlBool>`id in ${idList(topicIds)}`;
  const topics = await selectTopics(db)
    .where(({ or, not }) => or([isNamed, not(isSubscribed)]))
    .orderBy(sql`case when ${isNamed} then 0 else 1 end`)
    .orderBy('id')
    .limit(topicIds.size + MAX_EMPTY_TOPICS)
    .execute();
  const ids = new Set([...topicIds, ...topics.map(({ id }) => id)]);
  return [
    ...(mail ? [{ action: 'mail' as const, problem: mail }] : []),
    ...[...urls].flatMap((url) => {
      const problem = findWebhookProblem(webhooks.find((webhook) => webhook.url === url));
      return problem ? [{ action: 'webhook' as const, url, problem }] : [];
    }),
    ...[...ids].flatMap((topicId) => {
      const problem = findTopicProblem(topics.find(({ id }) => id === topicId));
      return problem ? [{ action: 'notify' as const, topicId, problem }] : [];
    }),
  ];
}

const isSubscribed = sql<SqlBool>`exists (select 1 from subscriptions where subscriptions.topic_id = topics.id)`;

const selectTopics = (db: Database) =>
  db.selectFrom('topics').select(['id', isSubscribed.as('subscribed')]);
