/**
 * Asking the person to test this device where nothing was shown on it for long: a silent test cannot
 * be, as browsers demand that every push shows something.
 */
import { signal } from '@preact/signals-react';
import { readStored, writeStored } from '../../platform/storage/storage';
import type { OwnDevice } from '../../shared/contract';
import { onOtherPerson } from '../session';

/** When that was asked on this device, whoever was signed in, in milliseconds since 1970. */
const ASKED = 'test_asked';
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** Whether the person is asked now. */
export const asking = signal(false);

onOtherPerson(() => {
  asking.value = false;
});

/**
 * Asks if that is due: nothing was shown for 7 days, or since the device was registered, and nobody
 * was asked here for as long.
 * @param asOf when the server told that, in milliseconds since 1970 by its clock
 */
export function askWhenDue({ createdAt, reach }: OwnDevice, asOf: number): void {
  const since = Math.max(time(createdAt), time(reach?.lastDisplayedAt));
  if (asOf - since <= WEEK_MS) return;
  const age = Date.now() - Number(readStored(ASKED) ?? Number.NaN);
  // A clock that was set right leaves a time that is still to come: that hides nothing for longer.
  if (age > -DAY_MS && age < WEEK_MS) return;
  writeStored(ASKED, String(Date.now()));
  asking.value = true;
}

const time = (iso: string | null | undefined): number => Date.parse(iso ?? '') || 0;
