/**
 * Lighthouse's mobile scores of the login page, the median of some runs.
 * `npm run bench -- lighthouse --runs 5`
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import lighthouse from 'lighthouse';
import { launchChromium } from '../support/browsers/chromium';
import { startInstallation } from '../support/processes/installation';
import { getMedian, readOption } from './measure';

const RUN_COUNT = readOption('runs', 5);
const LIGHTHOUSE_CATEGORIES = ['performance', 'accessibility', 'best-practices'];

const folder = resolve(`node_modules/.cache/bench-lighthouse-${process.pid}`);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const built = resolve(folder, 'built');
const { status, stderr } = spawnSync(process.execPath, ['build.mjs', '--out', built], {
  encoding: 'utf8',
});
if (status !== 0) throw new Error(stderr.slice(-2000));
const demo = await startInstallation({ built, program: 'demo' });

/** One run in ten fails with NO_NAVSTART on any page and is repeated. */
async function run(): Promise<Record<string, number>> {
  for (;;) {
    const browser = await launchChromium();
    try {
      const result = await lighthouse(
        `${demo.address}/login`,
        { onlyCategories: LIGHTHOUSE_CATEGORIES, logLevel: 'error' },
        undefined,
        await browser.newPage(),
      );
      const { runtimeError, categories, audits } = result!.lhr;
      if (runtimeError?.code === 'NO_NAVSTART') continue;
      if (runtimeError) throw new Error(runtimeError.message);
      const missed = Object.values(categories)
        .flatMap(({ auditRefs }) => auditRefs)
        .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9);
      if (missed.length) console.log(`  below 0.9: ${missed.map(({ id }) => id).join(', ')}`);
      return Object.fromEntries(
        LIGHTHOUSE_CATEGORIES.map((name) => [name, 100 * (categories[name]?.score ?? 0)]),
      );
    } finally {
      await browser.close();
    }
  }
}

try {
  const runs: Record<string, number>[] = [];
  while (runs.length < RUN_COUNT) runs.push(await run());
  console.log(`Lighthouse, mobile, login, median of ${RUN_COUNT}`);
  for (const name of LIGHTHOUSE_CATEGORIES) {
    const score = getMedian(runs.map((one) => one[name]!));
    console.log(
      `  ${name.padEnd(16)}${score.toFixed().padStart(4)}   (aim: 100)${score < 100 ? '  MISSED' : ''}`,
    );
  }
} finally {
  await demo.stop();
}
