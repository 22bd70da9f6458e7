/** Installing the app: the browser's prompt, or instructions on iOS. */
import { guessDeviceType } from '../push/notifications';

interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

/** iOS has no prompt, only instructions. */
export type Installation = 'none' | 'prompt' | 'instructions';

let waiting: InstallPrompt | undefined;

/** Calls back with what the browser offers. Call early: the browser offers it once. */
export function watchOffers(change: (installation: Installation) => void): void {
  // Loaded on demand: most pages are installed or get no offer.
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

/** Shows the browser's prompt, which works once. */
export async function showPrompt(): Promise<void> {
  const prompt = waiting;
  waiting = undefined;
  await prompt?.prompt();
}
