/** Installing the app: the browser's own prompt, or the way that iOS has instead. */
import { deviceType } from './notifications';

interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

/** What can be offered: nothing, the browser's prompt, or instructions (iOS has no prompt). */
export type Installation = 'none' | 'prompt' | 'instructions';

let waiting: InstallPrompt | undefined;

const standalone = () =>
  matchMedia('(display-mode: standalone)').matches ||
  (navigator as { standalone?: boolean }).standalone === true;

/**
 * Whether a manifest has what installing needs: a 192×192 icon for `any` or `maskable`
 * (S5.18, S5.19).
 */
export function isInstallable(manifest: unknown): boolean {
  const icons = (manifest as { icons?: { sizes?: string; purpose?: string }[] } | null)?.icons;
  return (
    Array.isArray(icons) &&
    icons.some(
      ({ sizes = '', purpose = 'any' }) =>
        sizes.split(' ').includes('192x192') && /\b(any|maskable)\b/.test(purpose),
    )
  );
}

/** Calls back with what the browser offers. Call early: the offer comes once. */
export function watchOffers(change: (installation: Installation) => void): void {
  const offer = async (kind: Installation) => (await canInstall()) && change(kind);
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault(); // no browser banner: our button asks
    waiting = event as InstallPrompt;
    void offer('prompt');
  });
  addEventListener('appinstalled', () => change('none'));
  if (deviceType() === 'ios') void offer('instructions');
}

async function canInstall(): Promise<boolean> {
  const secure = location.protocol === 'https:' || location.hostname === 'localhost';
  if (standalone() || !secure) return false;
  const manifest: unknown = await fetch('/manifest.json')
    .then((response) => response.json())
    .catch(() => null);
  return isInstallable(manifest);
}

/** Shows the browser's prompt. It can be used once; the browser offers another when it sees fit. */
export async function showPrompt(): Promise<void> {
  const prompt = waiting;
  waiting = undefined;
  await prompt?.prompt();
}
