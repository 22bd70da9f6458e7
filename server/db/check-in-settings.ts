/** Whether people may check in, and where the alarm goes. */
import type { Database } from './open';
import type { CheckInSettingsTable } from './tables/check-ins';

export const ONLY_ROW = 1;

/** Includes the title and the policy of the alarm's topic. */
export type KeptCheckInSettings = Omit<CheckInSettingsTable, 'id'> & {
  title: string | null;
  topic_policy_id: number | null;
};

/** The policy of alarms: the settings' own, else the topic's. */
export const findAlarmPolicyId = ({
  policy_id,
  topic_policy_id,
}: Pick<KeptCheckInSettings, 'policy_id' | 'topic_policy_id'>): number | null =>
  policy_id ?? topic_policy_id;

/** Returns undefined until the settings are saved for the first time. */
export const findCheckInSettings = (db: Database): Promise<KeptCheckInSettings | undefined> =>
  db
    .selectFrom('check_in_settings')
    .leftJoin('topics', 'topics.id', 'check_in_settings.topic_id')
    .where('check_in_settings.id', '=', ONLY_ROW)
    .select(['enabled', 'grace_minutes', 'topic_id', 'check_in_settings.policy_id', 'title'])
    .select('topics.policy_id as topic_policy_id')
    .executeTakeFirst();
