/**
 * `npm run build` beside a running server, and `npm run dev`, as real processes on a copy: a minute
 * or two.
 *
 *   node test/checks/rebuilds.mjs [PART OF A NAME]
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/port.mjs';

/** Keeps a failing test from hanging: a build takes 5 s, or 30 on a busy machine. */
const REBUILD_LIMIT_MS = 240_000;
/** Pauses between reads of the app, and between counts of servers. */
const [READ_EVERY_MS, COUNT_EVERY_MS] = [50, 300];
const root = path.resolve(import.meta.dirname, '../..');
const copy = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-rebuilds-'));
const pathInCopy = (file) => path.join(copy, file);
for (const name of [
  'src',
  'sw',
  'server',
  'static',
  'src/build/budgets.mjs',
  'build.mjs',
  'package.json',
  'tsconfig.json',
])
  await fs.cp(path.join(root, name), pathInCopy(name), { recursive: true });
await fs.symlink(path.join(root, 'node_modules'), pathInCopy('node_modules'));

const port = await freePort();
const address = `http://localhost:${port}`;
const env = {
  ...process.env,
  PORT: String(port),
  DATA_DIR: pathInCopy('data'),
  DATABASE_URL: '',
  API_HOST: '',
  FIREBASE_CONFIG: '',
  STATIC_DIR: undefined,
};

async function eventually(read, description) {
  const end = Date.now() + REBUILD_LIMIT_MS;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (Date.now() > end) throw new Error(`Timed out waiting for ${description}.`);
    await pause(50);
  }
}

function run(...programArguments) {
  const child = spawn(process.execPath, programArguments, {
    cwd: copy,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const program = { child, said: '', closed: once(child, 'exit') };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (program.said += text));
  return program;
}

const page = () =>
  fetch(address).then(
    (response) => response.text(),
    () => '',
  );
const shows = (title) =>
  eventually(
    async () => (await page()).includes(`<title>${title}</title>`),
    `the page with the title ${title}`,
  );
const edit = async (file, change) =>
  fs.writeFile(pathInCopy(file), change(await fs.readFile(pathInCopy(file), 'utf8')));
const retitle = (title) =>
  edit('static/index.html', (text) =>
    text.replace(/<title>.*<\/title>/, `<title>${title}</title>`),
  );
const builds = () => fs.readdir(pathInCopy('.dist-builds')).catch(() => []);
const building = () =>
  eventually(
    async () => (await builds()).some((name) => name.startsWith('unready-')),
    'a build to begin',
  );

/** Servers of the copy's build have the copy's path in their command line. */
function servers() {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line.includes(pathInCopy('dist/server/main.js')) && !/^\s*\d+ Z/.test(line))
    .map((line) => Number.parseInt(line, 10));
}
const nothingServes = () => eventually(async () => servers().length === 0, 'the server to end');

async function readWhole() {
  const html = await (await fetch(address)).text();
  const names = [...html.matchAll(/\/assets\/[\w.-]+\.(?:js|css)/g)].map(([name]) => name);
  assert.ok(names.length >= 2, `a page that names its files: ${html.slice(0, 200)}`);
  for (const name of [...names, '/firebase-messaging-sw.js', '/logo.svg', '/manifest.json']) {
    const response = await fetch(address + name);
    assert.equal(response.status, 200, `${name} is answered with ${response.status}`);
    await response.arrayBuffer();
  }
}

const tests = {
  async 'a running server answers all through a build, a failed one and a killed one'() {
    assert.equal((await run('build.mjs').closed)[0], 0);
    const server = run(pathInCopy('dist/server/main.js'));
    await eventually(async () => server.said.includes(address), 'the server to start');
    const first = await builds();
    let read = 0;
    const during = async (builder) => {
      let ended = false;
      builder.closed.then(() => (ended = true));
      while (!ended) {
        await readWhole();
        read += 1;
        await pause(READ_EVERY_MS); // leaves the processor to the build
      }
      await readWhole();
      return (await builder.closed)[0];
    };
    // Renames every file, so that a mixture of two builds shows.
    await edit('src/main.tsx', (text) => `${text}\nconsole.info('rebuilt');\n`);
    await edit('src/styles/theme.css', (text) => `${text}\nbody { --rebuilt: 1px; }\n`);
    assert.equal(await during(run('build.mjs')), 0);
    const good = await fs.readlink(pathInCopy('dist'));

    await edit('server/main.ts', (text) => `${text}\nconst half = ;\n`);
    const failed = run('build.mjs');
    assert.equal(await during(failed), 1);
    assert.match(failed.said, /server\/main\.ts:\d+:\d+/);
    assert.equal(await fs.readlink(pathInCopy('dist')), good);
    assert.deepEqual(
      (await builds()).sort(),
      [...first, path.basename(good)].sort(),
      'a failed build leaves nothing',
    );

    await edit('server/main.ts', (text) => text.replace('\nconst half = ;\n', ''));
    const killed = run('build.mjs');
    await building();
    killed.child.kill('SIGKILL');
    await during(killed);
    assert.equal(await fs.readlink(pathInCopy('dist')), good);
    const [one, other] = [run('build.mjs'), run('build.mjs')];
    assert.deepEqual(
      await Promise.all([during(one), other.closed.then(([code]) => code)]),
      [0, 0],
      'two at once',
    );
    assert.ok(
      !(await builds()).some((name) => name.startsWith('unready-')),
      'what the killed build left is gone',
    );
    server.child.kill('SIGTERM');
    await server.closed;
    const next = run(pathInCopy('dist/server/main.js'));
    await eventually(async () => next.said.includes(address), 'the server to start again');
    await readWhole();
    next.child.kill('SIGTERM');
    await next.closed;
    return `read ${read} times meanwhile`;
  },

  async 'npm run dev shows each change: saved, saved by rename, and saved again in the middle of a build'() {
    await retitle('First');
    dev = run('build.mjs', '--watch');
    await shows('First');
    await retitle('Saved');
    await shows('Saved');
    for (const title of ['Renamed', 'Renamed again']) {
      await fs.writeFile(
        pathInCopy('static/.index.html.swp'),
        (await fs.readFile(pathInCopy('static/index.html'), 'utf8')).replace(
          /<title>.*<\/title>/,
          `<title>${title}</title>`,
        ),
      );
      await fs.rename(pathInCopy('static/.index.html.swp'), pathInCopy('static/index.html'));
      await shows(title);
    }
    for (const [early, late] of [
      ['One', 'Two'],
      ['Three', 'Four'],
    ]) {
      await retitle(early);
      await retitle(`${early} and a half`);
      await building();
      await retitle(late);
      await shows(late);
    }
    assert.equal(dev.child.exitCode, null);
  },

  async 'npm run dev serves the last good app after a syntax error, and says where that is'() {
    const before = await page();
    for (const [file, mistake] of [
      ['src/app.tsx', '\nexport const half = <p>;\n'],
      ['server/main.ts', '\nconst half = ;\n'],
    ]) {
      const from = dev.said.length;
      await edit(file, (text) => text + mistake);
      await eventually(
        () => /The build failed, and the previous build is still served/.test(dev.said.slice(from)),
        'the fault to be printed',
      );
      assert.match(dev.said.slice(from), new RegExp(`${file.replace('.', '\\.')}:\\d+:\\d+`));
      assert.equal(await page(), before);
      await edit(file, (text) => text.replace(mistake, ''));
      await eventually(() => /Built in/.test(dev.said.slice(from)), 'a good build');
    }
    await retitle('Fixed');
    await shows('Fixed');
  },

  async 'npm run dev starts a server that was killed from outside again with the next build'() {
    process.kill(servers()[0], 'SIGKILL');
    await eventually(
      () => dev.said.includes('The server exited (SIGKILL)'),
      'the end of the server to be printed',
    );
    await retitle('Revived');
    await shows('Revived');
  },

  async 'npm run dev leaves no server behind, whatever signal ends it, and there were never two'() {
    assert.equal(most, 1);
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
      ['SIGHUP', 129],
      ['SIGKILL', null],
    ]) {
      dev.child.kill(signal);
      assert.equal((await dev.closed)[0], code);
      if (signal !== 'SIGKILL') assert.deepEqual(servers(), [], `after ${signal}`);
      await nothingServes();
      if (signal === 'SIGKILL') break;
      dev = run('build.mjs', '--watch');
      await shows('Revived');
    }
  },
};

let dev;
let most = 0;
// The server of `npm run dev` ends by itself.
process.on('exit', () => {
  dev?.child.kill('SIGKILL');
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const counting = setInterval(() => (most = Math.max(most, servers().length)), COUNT_EVERY_MS);
let [passed, failed] = [0, 0];
for (const [name, test] of Object.entries(tests).filter(([title]) =>
  title.includes(process.argv[2] ?? ''),
)) {
  const started = performance.now();
  try {
    const more = await test();
    console.log(
      `ok     ${name} (${((performance.now() - started) / 1000).toFixed(0)} s${more ? `; ${more}` : ''})`,
    );
    passed += 1;
  } catch (error) {
    console.log(`FAILED ${name}\n${error.stack}\n${dev?.said.slice(-2000) ?? ''}`);
    failed += 1;
    if (!dev) for (const pid of servers()) process.kill(pid, 'SIGKILL');
  }
}
clearInterval(counting);
dev?.child.kill('SIGTERM');
for (const pid of servers()) process.kill(pid, 'SIGKILL');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
