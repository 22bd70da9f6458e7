/**
 * Whether the person has put off installing the app. Apart from the offer itself, whose code cannot
 * wait: this comes with what shows it.
 */
import { signal } from '@preact/signals-react';
import { readStored, watchStored, writeStored } from '../../platform/storage/storage';

/**
 * Whether the person wants no offer over the page now, on this device: App Management still has it.
 */
export const dismissed = signal(false);

/** When that was said, in milliseconds since 1970. */
const DISMISSED = 'install_dismissed';
const DAY_MS = 86_400_000;

/** Takes over what was said, here or in another tab. */
export function look(): void {
  const age = Date.now() - Number(readStored(DISMISSED) ?? Number.NaN);
  // A clock that was set right leaves a time that is still to come: that hides nothing for longer.
  dismissed.value = age > -DAY_MS && age < 30 * DAY_MS;
}
look();
watchStored(DISMISSED, look);

/** Hides the offer for 30 days. */
export function dismiss(): void {
  writeStored(DISMISSED, String(Date.now()));
  dismissed.value = true;
}
