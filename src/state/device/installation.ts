/** What this device offers for installing the app. */
import { signal } from '@preact/signals-react';
import { showPrompt, watchOffers, type Installation } from '../../platform/install/install';

/** What can be offered now. */
export const installation = signal<Installation>('none');

/** Starts to listen for what the browser offers. Call early: the offer comes once. */
export const watchInstallation = (): void =>
  watchOffers((offered) => {
    installation.value = offered;
  });

/** Takes the offer up: it can be used once. */
export async function install(): Promise<void> {
  installation.value = 'none';
  await showPrompt();
}
