/** Installing the app: the browser's own prompt, or the way that iOS has instead. */
import { signal } from '@preact/signals-react';
import { deviceType } from './notifications';

interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

export type Installation = 'none' | 'prompt' | 'instructions';

/** What can be offered now: nothing, the browser's prompt, or instructions (iOS has no prompt). */
export const installation = signal<Installation>('none');

let waiting: InstallPrompt | undefined;

const standalone = () => matchMedia('(display-mode: standalone)').matches || (navigator as { standalone?: boolean }).standalone === true;

/** Whether a manifest has what installing needs: a 192×192 icon for `any` or `maskable` (specification, section 5). */
export function isInstallable(manifest: unknown): boolean {
  const icons = (manifest as { icons?: { sizes?: string; purpose?: string }[] } | null)?.icons;
  return Array.isArray(icons) && icons.some(({ sizes = '', purpose = 'any' }) => sizes.split(' ').includes('192x192') && /\b(any|maskable)\b/.test(purpose));
}

/** Starts to listen for what the browser offers. Call early: the offer comes once. */
export function watchInstallation(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault(); // no browser banner: our button asks
    waiting = event as InstallPrompt;
    void offer('prompt');
  });
  addEventListener('appinstalled', () => {
    installation.value = 'none';
  });
  if (deviceType() === 'ios') void offer('instructions');
}

async function offer(kind: Installation): Promise<void> {
  const secure = location.protocol === 'https:' || location.hostname === 'localhost';
  if (standalone() || !secure) return;
  const manifest: unknown = await fetch('/manifest.json').then((response) => response.json()).catch(() => null);
  if (isInstallable(manifest)) installation.value = kind;
}

/** Shows the browser's prompt. It can be used once; the browser offers another when it sees fit. */
export async function install(): Promise<void> {
  installation.value = 'none';
  await waiting?.prompt();
}
