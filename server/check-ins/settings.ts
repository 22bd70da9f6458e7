/** Whether people may check in, and where the alarm goes. */
import type { Transaction } from 'kysely';
import type { CheckInSettings } from '../../src/shared/contract';
import { DEFAULT_GRACE_MINUTES } from '../../src/shared/contract/check-ins';
import { recordAudit } from '../audit/record-audit';
import { ONLY_ROW, findCheckInSettings } from '../db/check-in-settings';
import type { KeptCheckInSettings } from '../db/check-in-settings';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { requirePolicy } from '../escalation/policies';
import { HttpError } from '../http/errors';
import { countedNoun } from '../lib/counted-noun';
import { hasRecipients, isAdminReachable } from './watchers';

const CHECK_INS_OFF: KeptCheckInSettings = {
  enabled: 0,
  grace_minutes: DEFAULT_GRACE_MINUTES,
  topic_id: null,
  policy_id: null,
  title: null,
  topic_policy_id: null,
};

export const readCheckInSettings = async (db: Database): Promise<KeptCheckInSettings> =>
  (await findCheckInSettings(db)) ?? CHECK_INS_OFF;

export async function describeCheckInSettings(db: Database): Promise<CheckInSettings> {
  const { enabled, grace_minutes, topic_id, policy_id, title } = await readCheckInSettings(db);
  return {
    enabled: enabled === 1,
    graceMinutes: grace_minutes,
    alarmTopicId: topic_id,
    policyId: policy_id,
    alarmTopic: topic_id === null || title === null ? null : { id: topic_id, title },
    isAdminReachable: await isAdminReachable(db),
  };
}

/** @throws HttpError 400 for a topic without people, and for what does not exist */
export async function changeCheckInSettings(
  {
    enabled,
    graceMinutes,
    alarmTopicId,
    policyId,
  }: Pick<CheckInSettings, 'enabled' | 'graceMinutes' | 'alarmTopicId' | 'policyId'>,
  transaction: Transaction<Tables>,
): Promise<CheckInSettings> {
  const isAlarmTopicReachable =
    alarmTopicId !== null && (await hasRecipients(alarmTopicId, transaction));
  if (enabled && !isAlarmTopicReachable) {
    const message =
      alarmTopicId === null
        ? 'Choose the topic that the alarm goes to.'
        : 'Choose a topic that has subscribers.';
    throw new HttpError(400, [{ message, path: 'alarmTopicId' }]);
  }
  if (alarmTopicId !== null) await requireTopic(alarmTopicId, transaction);
  if (policyId !== null) await requirePolicy(policyId, transaction);
  const values = {
    enabled: enabled ? 1 : 0,
    grace_minutes: graceMinutes,
    topic_id: alarmTopicId,
    policy_id: policyId,
  } as const;
  await transaction
    .insertInto('check_in_settings')
    .values({ id: ONLY_ROW, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
  const settings = await describeCheckInSettings(transaction);
  const wait = countedNoun(graceMinutes, 'minute');
  const detail = enabled ? `On, alarm ${wait} after the time is up` : 'Off';
  const alarmTopicTitle = settings.alarmTopic?.title ?? '';
  await recordAudit({ action: 'check-in.settings', on: alarmTopicTitle, detail }, transaction);
  return settings;
}

async function requireTopic(id: number, transaction: Transaction<Tables>): Promise<void> {
  const topic = transaction.selectFrom('topics').where('id', '=', id).select('id');
  if ((await topic.executeTakeFirst()) === undefined)
    throw new HttpError(400, [{ message: 'This topic does not exist.', path: 'alarmTopicId' }]);
}
