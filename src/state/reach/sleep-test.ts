// The sleep test in progress: its result may come hours later and is shown at the next visit.
import { readStored, writeStored } from '../../platform/storage/storage';
import type { DeviceTest } from '../../shared/contract';
import { serverNow } from '../clock';
import { sessionClaims, SLEEP_TEST_STORAGE_KEY } from '../session';

/** How long the phone is left alone, in seconds. */
export const SLEEP_TEST_SECONDS = 900;
/** A test with at least this delay is a sleep test. */
const MIN_SLEEP_DELAY_MS = 60_000;
/** The test's push has expired after this time. */
const STORED_TEST_LIFETIME_MS = 26 * 3600_000;

interface StoredSleepTest {
  person: number;
  id: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Derived from the test itself, so that any page can tell. */
export const isSleepTest = ({ createdAt, sendAt }: DeviceTest): boolean =>
  Date.parse(sendAt) - Date.parse(createdAt) > MIN_SLEEP_DELAY_MS;

export function storeSleepTest(id: string): void {
  const person = sessionClaims.value?.id;
  if (person !== undefined)
    writeStored(
      SLEEP_TEST_STORAGE_KEY,
      JSON.stringify({ person, id, at: serverNow() } satisfies StoredSleepTest),
    );
}

export function readStoredSleepTest(): string | undefined {
  const storedTest = parseStoredTest(readStored(SLEEP_TEST_STORAGE_KEY));
  if (!storedTest || storedTest.person !== sessionClaims.value?.id) return undefined;
  return Math.abs(serverNow() - storedTest.at) < STORED_TEST_LIFETIME_MS
    ? storedTest.id
    : undefined;
}

/** Forgets the sleep test once its result was seen or no longer matters. */
export function clearSleepTest(id = readStoredSleepTest()): void {
  if (id !== undefined && id === readStoredSleepTest()) writeStored(SLEEP_TEST_STORAGE_KEY, null);
}

function parseStoredTest(text: string | null): StoredSleepTest | undefined {
  try {
    const stored = JSON.parse(text ?? 'null') as Partial<StoredSleepTest> | null;
    return typeof stored?.id === 'string' && typeof stored.at === 'number'
      ? (stored as StoredSleepTest)
      : undefined;
  } catch {
    return undefined;
  }
}
