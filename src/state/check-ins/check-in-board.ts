/** Everyone's check-ins, and their settings. */
import { call } from '../../api/call';
import { withCause } from '../../api/with-cause';
import type {
  Audience,
  CheckIn,
  CheckInPage,
  CheckInSettings,
  CheckInState,
  Body,
} from '../../shared/contract';
import { checkInPageSchema, checkInSettingsSchema } from '../../shared/contract/check-ins' with {
  type: 'example',
};
import { audienceSchema } from '../../shared/contract/messages' with { type: 'example' };
import { personalSignal } from '../personal-signal';
import type { PageOf, PageRequest } from '../read-all-pages';

export const CHECK_INS_FAILED = 'Failed to load check-ins.';
export const CHECK_IN_SETTINGS_FAILED = 'Failed to load the check-in settings.';
export const CHECK_IN_SAVE_FAILED = 'Failed to save the check-in settings.';

export interface CheckInBoard extends PageOf<CheckIn> {
  counts: CheckInPage['counts'];
}

/**
 * Ended ones since midnight.
 * @throws {ApiError}
 */
export async function readCheckIns(
  request: PageRequest,
  state: CheckInState | '',
): Promise<CheckInBoard> {
  const since = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const { checkIns: rows, ...page } = await call('GET /api/admin/check-ins', {
    query: { ...request, since, ...(state && { state }) },
    fallback: CHECK_INS_FAILED,
    like: checkInPageSchema,
  }).catch(withCause(CHECK_INS_FAILED));
  return { rows, ...page };
}

/** The settings when last read or saved; undefined before. */
export const areCheckInsOn = personalSignal<boolean | undefined>(undefined);

const applySettings = (settings: CheckInSettings): CheckInSettings => {
  areCheckInsOn.value = settings.enabled;
  return settings;
};

const MAX_OPEN_ALARMS = 10;

/**
 * People who need help come first, then people who missed their check-in.
 * @throws {ApiError}
 */
export const readOpenAlarms = async (): Promise<readonly CheckIn[]> =>
  (await readCheckIns({ page: 1, limit: MAX_OPEN_ALARMS, query: '' }, '')).rows;

/** @throws {ApiError} */
export const readCheckInSettings = (): Promise<CheckInSettings> =>
  call('GET /api/admin/check-ins/settings', {
    fallback: CHECK_IN_SETTINGS_FAILED,
    like: checkInSettingsSchema,
  }).then(applySettings);

/**
 * Whom the alarm would reach now.
 * @throws {ApiError}
 */
export const countAlarmAudience = (topicId: number): Promise<Audience> =>
  call('POST /api/admin/messages/audience', {
    body: { topicIds: [topicId], priority: 'urgent' },
    fallback: CHECK_IN_SETTINGS_FAILED,
    like: audienceSchema,
  });

/** @throws {ApiError} */
export const saveCheckInSettings = (
  body: Body<'PUT /api/admin/check-ins/settings'>,
): Promise<CheckInSettings> =>
  call('PUT /api/admin/check-ins/settings', {
    body,
    fallback: CHECK_IN_SAVE_FAILED,
    like: checkInSettingsSchema,
  }).then(applySettings);
