import { signal } from '@preact/signals-react';
import { showPrompt, watchOffers, type Installation } from '../../platform/install/install';

export const installation = signal<Installation>('none');

/** Call early: the browser offers it once. */
export const watchInstallation = (): void =>
  watchOffers((offered) => {
    installation.value = offered;
  });

/** Shows the browser's prompt, which works once. */
export async function install(): Promise<void> {
  installation.value = 'none';
  await showPrompt();
}
