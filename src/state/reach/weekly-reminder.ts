// Asks for a test if a device displayed nothing for a week. A silent test is impossible: browsers
// require every push to show something.
import { readStored, writeStored } from '../../platform/storage/storage';
import type { OwnDevice } from '../../shared/contract';
import { personalSignal } from '../personal-signal';

/** When this device last asked its user for a test, in milliseconds since 1970. */
const LAST_REMINDER_STORAGE_KEY = 'test_asked';
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

export const isTestDue = personalSignal(false);

/**
 * Asks at most once every 7 days.
 * @param asOf milliseconds since 1970, by the server's clock
 */
export function remindIfTestDue({ createdAt, reach }: OwnDevice, asOf: number): void {
  const lastSeenAt = Math.max(timeOrZero(createdAt), timeOrZero(reach?.lastDisplayedAt));
  if (asOf - lastSeenAt <= WEEK_MS) return;
  const reminderAge = Date.now() - Number(readStored(LAST_REMINDER_STORAGE_KEY) ?? Number.NaN);
  // After a clock correction the stored time may lie ahead: it must not suppress the question.
  if (reminderAge > -DAY_MS && reminderAge < WEEK_MS) return;
  writeStored(LAST_REMINDER_STORAGE_KEY, String(Date.now()));
  isTestDue.value = true;
}

const timeOrZero = (iso: string | null | undefined): number => Date.parse(iso ?? '') || 0;
