import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '../support/browsers/chromium';
import { startGcm } from '../support/push-services/gcm';
import { startInstallation } from '../support/processes/installation';
import { builtFolder, createBuilds } from './parts/builds';
import {
  retryIfReloaded,
  setBrowserLanguage,
  openTourPage,
  PERMISSIONS,
  TOUR_SCREENS,
  showPage,
  SIZES,
  THEMES,
  type TourUser,
} from './tour/tour';
import { TILE_SCREENS } from './tour/tour-states';

const { values, positionals } = parseArgs({
  options: {
    language: { type: 'string', default: 'en' },
    full: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const { language } = values;
const [folder, ...wanted] = positionals;
if (!folder) throw new Error('Say into which folder: node test/e2e/screens.mjs FOLDER');
mkdirSync(resolve(folder), { recursive: true });

await createBuilds(['web-push']);
const gcm = await startGcm();
const demo = await startInstallation({ built: builtFolder('web-push'), program: 'demo' });
const browser = await launchChromium({ gcm });
try {
  for (const role of Object.keys(PERMISSIONS) as TourUser[]) await picture(role);
} finally {
  await browser.close();
  await demo.stop();
  await gcm.close();
}

/** One sign-in per person, in a context of their own. */
async function picture(role: TourUser): Promise<void> {
  const shots = [...TOUR_SCREENS, ...TILE_SCREENS]
    .filter((screen) => screen.as === role)
    .flatMap((screen) =>
      SIZES.flatMap((size) =>
        THEMES.map((theme) => ({
          screen,
          size,
          theme,
          file: `${screen.name}-${size.width}-${theme}`,
        })),
      ),
    );
  const chosen = shots.filter(({ file }) => wanted.every((part) => new RegExp(part).test(file)));
  if (chosen.length === 0) return;

  const page = await openTourPage(browser, demo.address, role);
  if (language !== 'en') await setBrowserLanguage(page, language);
  const devtools = await page.createCDPSession();
  for (const { screen, size, theme, file } of chosen) {
    await page.setViewport(size);
    await devtools.send('Emulation.setEmulatedMedia', {
      features: [
        { name: 'prefers-color-scheme', value: theme === 'dark' ? 'dark' : 'light' },
        { name: 'forced-colors', value: theme === 'forced' ? 'active' : 'none' },
      ],
    });
    await retryIfReloaded(() => showPage(page, demo.address, screen, language));
    await page.screenshot({
      path: resolve(folder!, `${file}.png`),
      fullPage: values.full || screen.name.startsWith('sent-states'), // a tile's list is below the first view
    });
    console.log(`${file}.png`);
  }
  await page.close();
}
