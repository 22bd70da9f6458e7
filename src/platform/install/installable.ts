import { isInstalled } from './installed';

/** An installable app needs a 192×192 icon for `any` or `maskable` (S5.18, S5.19). */
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

export async function canInstall(): Promise<boolean> {
  const isSecure = location.protocol === 'https:' || location.hostname === 'localhost';
  if (isInstalled() || !isSecure) return false;
  const manifest: unknown = await fetch('/manifest.json')
    .then((response) => response.json())
    .catch(() => null);
  return isInstallable(manifest);
}
