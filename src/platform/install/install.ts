// Installing the app: the browser's prompt, or instructions on iOS.
import { signal } from '@preact/signals-react';
import { guessDeviceType } from '../push/notifications';
import { isInstalled } from './installed';

interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

/** What the browser offers now. iOS has no prompt, only instructions. */
export const installation = signal<'none' | 'prompt' | 'instructions'>('none');

let waitingPrompt: InstallPrompt | undefined;

/** Call early: the browser offers it once. */
export function watchInstallation(): void {
  // Loaded on demand: most pages are installed or get no offer.
  const showOffer = (kind: typeof installation.value) =>
    import('./installable')
      .then(async ({ canInstall }) => {
        if (await canInstall()) installation.value = kind;
      })
      .catch(() => {}); // the next start offers the install again
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault(); // no browser banner: our button asks
    waitingPrompt = event as InstallPrompt;
    void showOffer('prompt');
  });
  addEventListener('appinstalled', () => {
    installation.value = 'none';
  });
  if (guessDeviceType() === 'ios') void showOffer('instructions');
}

/** Shows the browser's prompt, which works once. */
export async function install(): Promise<void> {
  const prompt = waitingPrompt;
  waitingPrompt = undefined;
  installation.value = 'none';
  await prompt?.prompt();
}

/** The installed app of an iPhone or iPad shares no storage with this browser. */
export const isIphoneBrowser = (): boolean => guessDeviceType() === 'ios' && !isInstalled();
