/**
 * The app beside the same source on real React, both served by our server, in Chromium at a sixth
 * of the speed, 150 ms RTT and 1.6 Mbit/s, in shuffled order. `npm run bench -- app --rounds 9`
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { launchChromium } from '../support/browsers/chromium';
import { startInstallation } from '../support/server/installation';
import { middle, option } from './measure';
import { administrator, technician, type Figures } from './visits';

const ROUNDS = option('rounds', 9);
/** How many times less than React's each is to be; 1 where it must only be no worse. */
const AIMS: Record<string, number> = {
  'page and script, bytes': 4.5,
  'first paint, ms': 1.5,
  'script time of the first load, ms': 4,
  'from sign-in to settings, ms': 1.3,
};

// Beneath node_modules, so that the servers find their packages.
const folder = resolve(`node_modules/.cache/bench-app-${process.pid}`);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const COMMANDS = {
  ours: ['build.mjs', '--out'],
  react: ['test/bench/build-react.mjs'],
  prerendered: ['build.mjs', '--on', 'react', '--out'],
};
type Side = keyof typeof COMMANDS;

async function serve(side: Side) {
  const built = resolve(folder, side);
  const { status, stderr } = spawnSync(process.execPath, [...COMMANDS[side], built], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr.slice(-2000));
  return startInstallation({ built, program: 'demo' });
}

const SIDES = Object.keys(COMMANDS) as Side[];
const servers = {
  ours: await serve('ours'),
  react: await serve('react'),
  prerendered: await serve('prerendered'),
};
const figures: Record<Side, Figures[]> = { ours: [], react: [], prerendered: [] };
try {
  for (let round = 1; round <= ROUNDS; round++) {
    for (const side of shuffled(SIDES)) {
      const browser = await launchChromium(); // a new one: nothing is warm
      try {
        figures[side].push({
          ...(await technician(browser, servers[side].address)),
          ...(await administrator(browser, servers[side].address)),
        });
      } finally {
        await browser.close();
      }
    }
  }
} finally {
  for (const side of SIDES) await servers[side].stop();
}

console.log(
  `the app beside the same source on real React, rendered in the browser alone or also in the build: ${ROUNDS} runs each, medians`,
);
console.log(
  `  ${''.padEnd(34)}${'ours'.padStart(10)}${'React'.padStart(10)}${'ratio'.padStart(8)}${'aim'.padStart(6)}${'prerendered'.padStart(13)}${'ratio'.padStart(8)}`,
);
for (const name of Object.keys(figures.ours[0] ?? {})) {
  const [ours, react, prerendered] = SIDES.map((side) =>
    middle(figures[side].map((run) => run[name]!)),
  ) as [number, number, number];
  const aim = AIMS[name] ?? 1;
  const columns = [
    ours.toFixed().padStart(10),
    react.toFixed().padStart(10),
    (react / ours).toFixed(2).padStart(8),
    String(aim).padStart(6),
    prerendered.toFixed().padStart(13),
    (prerendered / ours).toFixed(2).padStart(8),
  ];
  console.log(`  ${name.padEnd(34)}${columns.join('')}${react / ours < aim ? '  MISSED' : ''}`);
}

/** Every order is as likely as any other. */
function shuffled<T>(list: readonly T[]): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]!);
}
