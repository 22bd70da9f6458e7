// Whether the person dismissed the install offer. Loads with the bar, later than the offer's own
// code.
import { signal } from '@preact/signals-react';
import { readStored, watchStored, writeStored } from '../../platform/storage/storage';

/** App Management still offers the install. */
export const isInstallDismissed = signal(false);

/** Milliseconds since 1970. */
const DISMISSAL_STORAGE_KEY = 'install_dismissed';
const DAY_MS = 86_400_000;

export function readDismissed(): void {
  const dismissalAge = Date.now() - Number(readStored(DISMISSAL_STORAGE_KEY) ?? Number.NaN);
  // After a clock correction the stored time may lie ahead: it must not hide the offer for longer.
  isInstallDismissed.value = dismissalAge > -DAY_MS && dismissalAge < 30 * DAY_MS;
}
readDismissed();
watchStored(DISMISSAL_STORAGE_KEY, readDismissed);

export function dismissInstall(): void {
  writeStored(DISMISSAL_STORAGE_KEY, String(Date.now()));
  isInstallDismissed.value = true;
}
