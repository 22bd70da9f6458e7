/** Escalation policies: what happens to messages that are not answered. */
import type { Transaction } from 'kysely';
import type {
  ResponseOf,
  Escalation,
  NewPolicy,
  Policy,
  PolicyStep,
} from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import type { Database } from '../db/open';
import type { PolicyRow, Tables } from '../db/schema';
import { findAlarmPolicyId, findCheckInSettings } from '../db/check-in-settings';
import { HttpError, conflictError, notFoundError } from '../http/errors';
import { claimOrReadResponse, storeResponse } from '../http/idempotency';
import type { IdempotentRequest } from '../http/idempotency';
import { toHref } from '../lib/href';
import { foldCase } from '../../src/shared/case-fold';
import { countedNoun } from '../lib/counted-noun';
import type { Services } from '../services';
import { listProblems } from './step-obstacles';

/** One menu lists all policies. */
const MAX_POLICIES = 100;
/** Topics listed per policy. */
const MAX_LISTED_TOPICS_PER_POLICY = 1000;
/** Android mutes notifications that sound more often. */
const MIN_BETWEEN_REPEATS_SECONDS = 60;
/** Changing a policy, or removing what a step names, holds this lock: names must stay valid. */
export const POLICIES_LOCK = 'policies';
export const NO_SUCH_POLICY = 'This policy does not exist.';

/** Lists policies by name, with the problems of all steps. */
export async function listPolicies({
  db,
  config,
}: Pick<Services, 'db' | 'config'>): Promise<ResponseOf<'GET /api/admin/policies'>> {
  const rows = await db.selectFrom('policies').selectAll().orderBy('id').execute();
  const topics = await readTopics(db);
  const alarmPolicyId = await readAlarmPolicyId(db);
  const policies = rows
    .map((row) => {
      const ids = topics.get(row.id) ?? [];
      return {
        ...toPolicy(row, ids.length),
        topicIds: ids.slice(0, MAX_LISTED_TOPICS_PER_POLICY),
        ...(row.id === alarmPolicyId && { isForCheckIns: true }),
      };
    })
    .sort((a, b) => foldCase(a.name).localeCompare(foldCase(b.name), 'en', { numeric: true }));
  const steps = policies.flatMap((policy) => policy.steps);
  return { policies, problems: await listProblems(steps, config, db) };
}

/**
 * Adds a policy. A repeated request returns the same one while it exists.
 * @throws HttpError 400 for invalid steps; 409 if the name is taken or there are too many
 */
export async function addPolicy(
  policy: NewPolicy,
  request: IdempotentRequest | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Policy> {
  const storedResponse = await claimOrReadResponse(request, transaction, now);
  const createdPolicy =
    storedResponse === undefined ? undefined : await readRow(Number(storedResponse), transaction);
  if (createdPolicy !== undefined)
    return toPolicy(createdPolicy, await countTopics(createdPolicy.id, transaction));
  const values = await toValues(policy, transaction);
  const rows = await readNames(transaction);
  requireFree(policy.name, rows);
  if (rows.length >= MAX_POLICIES)
    throw conflictError(`There are already ${MAX_POLICIES} policies. Please delete one first.`);
  const row = await transaction
    .insertInto('policies')
    .values(values)
    .returningAll()
    .executeTakeFirstOrThrow();
  await storeResponse(request, String(row.id), transaction);
  await recordAudit(
    { action: 'policy.add', on: row.name, detail: describePolicy(row) },
    transaction,
  );
  return toPolicy(row, 0);
}

/**
 * Sent messages keep their copy.
 * @throws HttpError 404; 400 for steps; 409 for a taken name
 */
export async function updatePolicy(
  id: number,
  policy: NewPolicy,
  transaction: Transaction<Tables>,
): Promise<Policy> {
  const rows = await readNames(transaction);
  if (!rows.some((each) => each.id === id)) throw notFoundError(NO_SUCH_POLICY);
  const values = await toValues(policy, transaction);
  requireFree(
    policy.name,
    rows.filter((other) => other.id !== id),
  );
  const row = await transaction
    .updateTable('policies')
    .set(values)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_POLICY);
  await recordAudit(
    { action: 'policy.change', on: row.name, detail: describePolicy(row) },
    transaction,
  );
  return toPolicy(row, await countTopics(id, transaction));
}

/**
 * The policy's topics then have no policy.
 * @throws HttpError 404; 409 while alarms of check-ins use it: they would silently not escalate
 */
export async function deletePolicy(id: number, transaction: Transaction<Tables>): Promise<void> {
  if ((await readAlarmPolicyId(transaction)) === id)
    throw conflictError(
      'Check-in alarms use this policy. Please choose another policy in the check-in settings first.',
    );
  const deletedPolicy = await transaction
    .deleteFrom('policies')
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst();
  if (deletedPolicy === undefined) throw notFoundError(NO_SUCH_POLICY);
  await recordAudit({ action: 'policy.delete', on: deletedPolicy.name }, transaction);
}

async function readAlarmPolicyId(db: Database): Promise<number | null> {
  const settings = await findCheckInSettings(db);
  return settings === undefined ? null : findAlarmPolicyId(settings);
}

const describePolicy = (row: PolicyRow): string => countedNoun(readSteps(row).length, 'step');

/**
 * @param path the body's field that names it
 * @throws HttpError 400 if it does not exist
 */
export async function requirePolicy(
  id: number,
  db: Database,
  path = 'policyId',
): Promise<NonNullable<Escalation['policy']>> {
  const row = await readRow(id, db);
  if (row === undefined) throw new HttpError(400, [{ message: NO_SUCH_POLICY, path }]);
  const { topics: _, ...policy } = toPolicy(row, 0);
  return policy;
}

/** The name of a policy with a step that uses this topic or webhook. */
export async function findPolicyNaming(
  target: { topicId: number } | { url: string },
  transaction: Transaction<Tables>,
): Promise<string | undefined> {
  const rows = await transaction.selectFrom('policies').selectAll().orderBy('id').execute();
  return rows.find((row) =>
    readSteps(row).some((step) =>
      'url' in target ? step.url === target.url : step.topicId === target.topicId,
    ),
  )?.name;
}

const readRow = (id: number, db: Database): Promise<PolicyRow | undefined> =>
  db.selectFrom('policies').selectAll().where('id', '=', id).executeTakeFirst();

const readSteps = ({ steps }: Pick<PolicyRow, 'steps'>): PolicyStep[] =>
  JSON.parse(steps) as PolicyStep[];

const toPolicy = (row: PolicyRow, topics: number): Policy => ({
  id: row.id,
  name: row.name,
  quorum: row.quorum,
  steps: readSteps(row),
  topics,
});

async function toValues(
  { name, quorum = null, steps }: NewPolicy,
  transaction: Transaction<Tables>,
): Promise<Omit<PolicyRow, 'id'>> {
  const inOrder = steps.map(toStep).sort((a, b) => a.after - b.after);
  const repeatSteps = inOrder.filter(({ action }) => action === 'repeat');
  if (
    repeatSteps.some(
      ({ after }, nth) => after - (repeatSteps[nth - 1]?.after ?? 0) < MIN_BETWEEN_REPEATS_SECONDS,
    )
  )
    throw createStepError('A policy can notify again at most once a minute.');
  await requireNamed(inOrder, transaction);
  return { name, quorum, steps: JSON.stringify(inOrder) };
}

/**
 * Keeps only what the action needs.
 * @throws HttpError 400 if that is missing
 */
function toStep({ after, action, topicId, url }: PolicyStep): PolicyStep {
  if (action === 'notify') {
    if (topicId === undefined) throw createStepError('Choose the topic that the step notifies.');
    return { after, action, topicId };
  }
  if (action === 'webhook') {
    if (url === undefined) throw createStepError('Choose the webhook that the step calls.');
    return { after, action, url: toHref(url) };
  }
  return { after, action };
}

/** @throws HttpError 400 if a named topic or webhook does not exist */
async function requireNamed(
  steps: readonly PolicyStep[],
  transaction: Transaction<Tables>,
): Promise<void> {
  const topicIds = new Set(steps.flatMap(({ topicId }) => topicId ?? []));
  const topics = transaction
    .selectFrom('topics')
    .select('id')
    .where('id', 'in', [...topicIds]);
  if (topicIds.size > 0 && (await topics.execute()).length < topicIds.size)
    throw createStepError('A step notifies a topic that does not exist.');
  const urls = new Set(steps.flatMap(({ url }) => url ?? []));
  const webhooks = transaction
    .selectFrom('webhooks')
    .select('id')
    .where('url', 'in', [...urls]);
  if (urls.size > 0 && (await webhooks.execute()).length < urls.size)
    throw createStepError('A step calls a webhook that does not exist.');
}

const createStepError = (message: string): HttpError =>
  new HttpError(400, [{ message, path: 'steps' }]);

/** Topic ids by policy. */
async function readTopics(db: Database): Promise<Map<number | null, number[]>> {
  const rows = await db
    .selectFrom('topics')
    .where('policy_id', 'is not', null)
    .orderBy('policy_id')
    .orderBy('id')
    .select(['id', 'policy_id'])
    .execute();
  const topics = new Map<number | null, number[]>();
  for (const { id, policy_id } of rows) {
    const ids = topics.get(policy_id) ?? [];
    ids.push(id);
    topics.set(policy_id, ids);
  }
  return topics;
}

const countTopics = async (id: number, db: Database): Promise<number> =>
  (await readTopics(db)).get(id)?.length ?? 0;

const readNames = (transaction: Transaction<Tables>) =>
  transaction.selectFrom('policies').select(['id', 'name']).execute();

/** @throws HttpError 409 if another policy has this name */
function requireFree(name: string, otherPolicies: readonly { name: string }[]): void {
  const key = foldCase(name);
  if (otherPolicies.some((policy) => foldCase(policy.name) === key))
    throw conflictError('Another policy already has this name.', 'name');
}
