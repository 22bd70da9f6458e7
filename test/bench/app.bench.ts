/**
 * The app beside the same source on other stacks, served by our server, in Chromium at a sixth of
 * its speed, 150 ms RTT and 1.6 Mbit/s, in random order. `npm run bench -- app --rounds 9`
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { launchChromium } from '../support/browsers/chromium';
import { startInstallation } from '../support/processes/installation';
import { DEMO_PASSWORD } from '../../server/demo/sample';
import { measureAdministrator, measureInbox } from './list-times';
import { getMedian, readOption } from './measure';
import { BAD_NETWORK, type Figures } from './slow-page';
import { PAGE_BYTES, measureTechnician } from './technician-visits';

const ROUNDS = readOption('rounds', 9);
/** Minimum ratio of React’s figure to ours. The default is 1: no worse than React. */
const MIN_SPEEDUP: Record<string, number> = {
  'page and script, bytes': 4.5,
  'first paint, ms': 1.5,
  'script time of the first load, ms': 4,
  'from sign-in to settings, ms': 1.4,
  'search among 500: task time, ms': 5,
};
/** Limits of our own figures, whatever the others measure. */
const MAX_FIGURES: Record<string, number> = {
  'coming back: topics, ms': 600,
  'coming back: and messages, ms': 600,
  'offline start: topics, ms': 600,
  'offline start: and messages, ms': 600,
};
/** How many times as long as a short list a long one may take. */
const MAX_LONG_RATIO = 1.3;
const LONG_SCENARIOS = [
  ['opening 500 topics, ms', 'opening 10 topics, ms'],
  ['opening 100 users, ms', 'opening 10 users, ms'],
  ['opening 100 recipients, ms', 'opening 10 recipients, ms'],
  ['opening 2000 of an inbox, ms', 'opening 10 of an inbox, ms'],
] as const;

/** Ours, the packages that ours replaces, React as usual, and React with all that ours has. */
const BUILD_COMMANDS = {
  ours: ['build.mjs', '--out'],
  compat: ['build.mjs', '--on', 'compat', '--out'],
  React: ['test/bench/build-react.mjs'],
  prerendered: ['build.mjs', '--on', 'react', '--out'],
};
type Side = keyof typeof BUILD_COMMANDS;
const COMPARED_SIDES = Object.keys(BUILD_COMMANDS) as Side[];
const PEER_BUILDS = ['React', 'compat', 'prerendered'] as const;

// Below node_modules, where servers find their packages.
const folder = resolve(`node_modules/.cache/bench-app-${process.pid}`);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

async function serve(side: Side) {
  const built = resolve(folder, side);
  const { status, stderr } = spawnSync(process.execPath, [...BUILD_COMMANDS[side], built], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr.slice(-2000));
  return startInstallation({ built, program: 'demo' });
}

/** Milliseconds that the server takes for a sign-in. */
async function passwordCheck(address: string): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const startedAt = performance.now();
    const { status } = await fetch(`${address}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'm.okafor', password: DEMO_PASSWORD }),
    });
    if (status !== 200) throw new Error(`The sign-in was answered with ${status}.`);
    times.push(performance.now() - startedAt);
  }
  return getMedian(times);
}

const runs: Record<Side, Figures[]> = { ours: [], compat: [], React: [], prerendered: [] };
const servers: Partial<Record<Side, Awaited<ReturnType<typeof serve>>>> = {};
const checks: number[] = [];
try {
  for (const side of COMPARED_SIDES) servers[side] = await serve(side);
  for (let round = 1; round <= ROUNDS; round++) {
    checks.push(await passwordCheck(servers.ours!.address));
    for (const side of shuffled(COMPARED_SIDES)) {
      const browser = await launchChromium(); // a new one: nothing is warm
      const { address } = servers[side]!;
      try {
        runs[side].push({
          ...(await measureTechnician(browser, address)),
          ...(await measureInbox(browser, address)),
          ...(await measureAdministrator(browser, address)),
        });
      } finally {
        await browser.close();
      }
    }
  }
} finally {
  for (const side of COMPARED_SIDES) await servers[side]?.stop();
}

const medians = Object.fromEntries(
  COMPARED_SIDES.map((side) => [
    side,
    Object.fromEntries(
      Object.keys(runs.ours[0] ?? {}).map((name) => [
        name,
        getMedian(runs[side].map((run) => run[name]!)),
      ]),
    ),
  ]),
) as Record<Side, Figures>;

/** No app with the same number of bytes can be faster. */
const limits = limitsOf(medians.ours, getMedian(checks));
function limitsOf(
  {
    [PAGE_BYTES]: page = 0,
    'page and script, bytes': bytes = 0,
    'the same among 10, ms': typing = 0,
  }: Figures,
  check: number,
): Figures {
  const { latency, downloadThroughput } = BAD_NETWORK;
  const sent = (size: number) => (1000 * size) / downloadThroughput;
  const usable = 2 * latency + sent(bytes); // the script is asked for once the page is there
  const settings = latency + check;
  return {
    'first paint, ms': latency + sent(page),
    'usable login, ms': usable,
    'from sign-in to settings, ms': settings,
    'from address to settings, ms': usable + settings,
    'search among 500: task time, ms': typing,
  };
}

console.log(
  `the app, and how many times as much others take, ${ROUNDS} runs each, medians. React: the same source on real React, as its apps usually are;
compat: on preact/compat and signals as packages; prerendered: on real React, with the login form in the page, one round trip, and rows drawn by and by.
limit: round trips × ${BAD_NETWORK.latency} ms + bytes ÷ 1.6 Mbit/s + ${getMedian(checks).toFixed()} ms for the password, where a network is asked at all; of a search, what typing it takes`,
);
const cell = (text: string, width = 12) => text.padStart(width);
console.log(
  `  ${''.padEnd(42)}${['ours', 'React', 'times', 'aim', 'compat', 'times', 'prerendered', 'times', 'limit', 'over it'].map((name) => cell(name)).join('')}`,
);
for (const [name, ours] of Object.entries(medians.ours)) {
  const aim = MIN_SPEEDUP[name] ?? 1;
  const [react, compat, prerendered] = PEER_BUILDS.map((side) => {
    const theirs = medians[side][name]!;
    return [cell(theirs.toFixed()), cell((theirs / ours).toFixed(2))];
  });
  const limit = limits[name];
  const maxFigure = MAX_FIGURES[name] ?? Infinity;
  const missed = medians.React[name]! / ours < aim || ours > maxFigure;
  const bounds = limit
    ? [cell(limit.toFixed()), cell((ours / limit).toFixed(2))]
    : [cell(maxFigure < Infinity ? `≤ ${maxFigure}` : '-'), cell('-')];
  const columns = [cell(ours.toFixed()), ...react!, cell(String(aim)), ...compat!, ...prerendered!];
  console.log(`  ${name.padEnd(42)}${[...columns, ...bounds].join('')}${missed ? '  MISSED' : ''}`);
}
console.log(`a long list beside a short one, times (limit: ${MAX_LONG_RATIO})`);
for (const [long, short] of LONG_SCENARIOS) {
  const times = COMPARED_SIDES.map((side) => medians[side][long]! / medians[side][short]!);
  const columns = COMPARED_SIDES.map((side, index) => `${side} ${times[index]!.toFixed(2)}`);
  console.log(
    `  ${long.replace(', ms', '').padEnd(42)}${columns.join(', ')}${times[0]! > MAX_LONG_RATIO ? '  MISSED' : ''}`,
  );
}

function shuffled<T>(list: readonly T[]): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]!);
}
