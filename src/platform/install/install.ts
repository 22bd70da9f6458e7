/** Installing the app: the browser's own prompt, or the way that iOS has instead. */
import { guessDeviceType } from '../push/notifications';

interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

/** What can be offered: nothing, the browser's prompt, or instructions (iOS has no prompt). */
export type Installation = 'none' | 'prompt' | 'instructions';

let waiting: InstallPrompt | undefined;

/** Calls back with what the browser offers. Call early: the offer comes once. */
export function watchOffers(change: (installation: Installation) => void): void {
  // Asked of code that comes when it is needed: most pages are installed, or offered nothing.
  const offer = (kind: Installation) =>
    import('./installable')
      .then(async ({ canInstall }) => (await canInstall()) && change(kind))
      .catch(() => {}); // the next start offers it again
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault(); // no browser banner: our button asks
    waiting = event as InstallPrompt;
    void offer('prompt');
  });
  addEventListener('appinstalled', () => change('none'));
  if (guessDeviceType() === 'ios') void offer('instructions');
}

/** Shows the browser's prompt. It can be used once; the browser offers another when it sees fit. */
export async function showPrompt(): Promise<void> {
  const prompt = waiting;
  waiting = undefined;
  await prompt?.prompt();
}
