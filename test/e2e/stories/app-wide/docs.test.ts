import { equal } from 'node:assert/strict';
import type { CleanUp, Story } from '../../parts/harness';
import { cutOffTexts, themesAt, sidewaysOverflow, axeViolations } from '../../tour/inspections';
import { startTestBed } from '../../parts/push/test-bed';

const WIDTHS = [360, 1280];

async function inspectDocs(cleanUp: CleanUp): Promise<void> {
  const { browser, installation } = await startTestBed('Chromium', 'web-push', cleanUp);
  const page = await browser.newPage();
  const faults: string[] = [];
  const requestedUrls: string[] = [];
  page.on('request', (request) => requestedUrls.push(request.url()));
  page.on('console', (message) => faults.push(message.text()));
  await page.goto(`${installation.address}/api/docs`);
  equal(await page.$$eval('details[open]', (open) => open.length), 0);

  for (const width of WIDTHS) {
    await page.setViewport({ width, height: 800, hasTouch: width < 600, isMobile: width < 600 });
    await page.$$eval('details', (sections) => {
      for (const section of sections) section.open = true;
    });
    for (const [theme, rules] of themesAt(width)) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      const violations = [
        ...(await sidewaysOverflow(page)),
        ...(await cutOffTexts(page)),
        ...(await axeViolations(page, rules)),
      ];
      faults.push(...violations.map((fault) => `at ${width} px, ${theme}: ${fault}`));
    }
  }
  equal(faults.join('\n'), '');
  equal(requestedUrls.filter((url) => !url.startsWith(installation.address)).join('\n'), '');

  // A link opens the closed part it leads to.
  await page.reload();
  await page.goto(`${installation.address}/api/docs#shape-SentMessage`);
  equal(await page.$eval('#shape-SentMessage', (shape) => shape.checkVisibility()), true);
}

export const docsStories: Story[] = [
  {
    name: 'shows the API docs to everyone',
    run: inspectDocs,
  },
];
