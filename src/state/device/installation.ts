/** What this device offers for installing the app, and whether the person has put it off. */
import { signal } from '@preact/signals-react';
import { showPrompt, watchOffers, type Installation } from '../../platform/install/install';
import { read, watch, write } from '../../platform/storage/storage';

/** What can be offered now. */
export const installation = signal<Installation>('none');

/**
 * Whether the person wants no offer over the page now, on this device: App Management still has it.
 */
export const dismissed = signal(false);

/** When that was said, in milliseconds since 1970. */
const DISMISSED = 'install_dismissed';
const DAY_MS = 86_400_000;

function look(): void {
  const age = Date.now() - Number(read(DISMISSED) ?? Number.NaN);
  // A clock that was set right leaves a time that is still to come: that hides nothing for longer.
  dismissed.value = age > -DAY_MS && age < 30 * DAY_MS;
}

/** Hides the offer for 30 days. */
export function dismiss(): void {
  write(DISMISSED, String(Date.now()));
  dismissed.value = true;
}

/** Starts to listen for what the browser offers. Call early: the offer comes once. */
export function watchInstallation(): void {
  look();
  watch(DISMISSED, look); // in another tab, too
  watchOffers((offered) => {
    installation.value = offered;
  });
}

/** Takes the offer up: it can be used once. */
export async function install(): Promise<void> {
  installation.value = 'none';
  await showPrompt();
}
