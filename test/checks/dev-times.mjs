/**
 * Time of `npm run dev` from a save to the changed page: the median of five for each kind of
 * source. The aim is one second on an idle machine.
 *
 *   node test/checks/dev-times.mjs
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/port.mjs';

const REPETITIONS = 5;
const BUILD_LIMIT_MS = 120_000;
const root = path.resolve(import.meta.dirname, '../..');
const copy = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-dev-times-'));
for (const name of ['src', 'sw', 'server', 'static', 'build.mjs', 'package.json', 'tsconfig.json'])
  await fs.cp(path.join(root, name), path.join(copy, name), { recursive: true });
await fs.symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));

const port = await freePort();
const address = `http://localhost:${port}`;

/** @param {string} where */
const read = (where) =>
  fetch(address + where).then(
    (response) => response.text(),
    () => '',
  );
/** @param {RegExp} link what the page asks for */
const readLinked = async (link) => {
  const [, where] = link.exec(await read('/')) ?? [];
  return where ? read(where) : '';
};

/**
 * The edited file, the edit, and where it shows. `mark` is new each time.
 * @type {Record<string, {
 *   file: string,
 *   edit: (text: string, mark: number) => string,
 *   shown: (mark: number) => Promise<boolean>,
 * }>}
 */
const CHANGE_KINDS = {
  '.tsx': {
    file: 'src/app.tsx',
    edit: (text, mark) => `${text}\nconsole.info('mark${mark}');\n`,
    shown: async (mark) =>
      (await readLinked(/<script type="module" src="([^"]+)"/)).includes(`mark${mark}`),
  },
  '.css': {
    file: 'src/styles/theme.css',
    edit: (text, mark) => `${text}\nbody { outline-offset: ${mark}px; }\n`,
    shown: async (mark) => (await read('/')).includes(`outline-offset:${mark}px`),
  },
  '.html': {
    file: 'static/index.html',
    edit: (text, mark) => text.replace(/<title>.*<\/title>/, `<title>mark${mark}</title>`),
    shown: async (mark) => (await read('/')).includes(`<title>mark${mark}</title>`),
  },
  'server .ts': {
    file: 'server/operations/health.ts',
    edit: (text, mark) => text.replace("status: 'ok',", `status: 'ok${mark}',`),
    shown: async (mark) => (await read('/api/health')).includes(`ok${mark}`),
  },
};

/**
 * @param {() => Promise<boolean>} condition
 * @param {string} description
 */
async function until(condition, description) {
  const started = performance.now();
  while (!(await condition())) {
    if (performance.now() - started > BUILD_LIMIT_MS)
      throw new Error(`Timed out waiting for ${description}.`);
    await pause(5);
  }
  return performance.now() - started;
}

const dev = spawn(process.execPath, ['build.mjs', '--watch'], {
  cwd: copy,
  env: {
    ...process.env,
    PORT: String(port),
    DATA_DIR: path.join(copy, 'data'),
    DATABASE_URL: '',
    API_HOST: '',
    FIREBASE_CONFIG: '',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  await until(async () => (await read('/')) !== '', 'the first page');
  for (const [kind, { file, edit, shown }] of Object.entries(CHANGE_KINDS)) {
    const original = await fs.readFile(path.join(copy, file), 'utf8');
    const times = [];
    for (let mark = 701; mark <= 700 + REPETITIONS; mark++) {
      await fs.writeFile(path.join(copy, file), edit(original, mark));
      times.push(await until(() => shown(mark), `a change of ${file}`));
    }
    const sorted = times.map(Math.round).sort((one, other) => one - other);
    console.log(
      `${kind.padEnd(12)}${String(sorted[REPETITIONS >> 1]).padStart(6)} ms (${sorted.join(', ')})`,
    );
  }
} finally {
  const ended = once(dev, 'exit');
  dev.kill('SIGTERM');
  await ended;
  await fs.rm(copy, { recursive: true, force: true });
}
