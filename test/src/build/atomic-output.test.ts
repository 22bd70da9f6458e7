import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildAtomically } from '../../../src/build/atomic-output.mjs';

const test = suite('atomic build output');
let folder: string;
let outputFolder: string;
test.before.each(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fieldbell-aside-'));
  outputFolder = join(folder, 'dist');
});
test.after.each(() => rm(folder, { recursive: true }));

const writeOutput = (name: string) => async (into: string) => {
  for (const part of ['app', 'server']) {
    await mkdir(join(into, part));
    await writeFile(join(into, part, 'name'), name);
  }
  return name;
};
const readBuiltName = (part = 'app'): Promise<string> =>
  readFile(join(outputFolder, part, 'name'), 'utf8');
const listBuilds = (): Promise<string[]> => readdir(join(folder, '.dist-builds')).catch(() => []);
const startProcess = (code: string) =>
  spawn(
    process.execPath,
    ['--input-type=module', '-e', code, resolve('src/build/atomic-output.mjs'), outputFolder],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );

test('puts a build where asked, and replaces it by a later one', async () => {
  assert.is(await buildAtomically(outputFolder, writeOutput('one')), 'one');
  assert.is(await readBuiltName(), 'one');
  for (const name of ['two', 'three', 'four'])
    await buildAtomically(outputFolder, writeOutput(name));
  assert.equal([await readBuiltName('app'), await readBuiltName('server')], ['four', 'four']);
  assert.is((await listBuilds()).length, 2, 'only the previous build is kept');
});

test('keeps the app readable while its build is replaced repeatedly', async () => {
  await buildAtomically(outputFolder, writeOutput('first'));
  // Another process, to read between any two steps.
  const reader = startProcess(`
    import { readFileSync } from 'node:fs';
    let [read, missed] = [0, 0];
    console.log('reading');
    const end = () => { console.log(JSON.stringify({ read, missed })); process.exit(); };
    process.on('SIGTERM', end);
    process.stdin.on('data', () => console.log('going on'));
    const loop = () => { for (let i = 0; i < 500; i++) { try { readFileSync(process.argv[2] + '/app/name'); read += 1; } catch { missed += 1; } } setImmediate(loop); };
    loop();`);
  const outputLines = reader.stdout.setEncoding('utf8').iterator();
  await outputLines.next();
  for (let number = 0; number < 40; number += 1) {
    await buildAtomically(outputFolder, writeOutput(String(number)));
    // A slow read may outlast two such builds, which no real build is fast enough for.
    reader.stdin.write('?');
    await outputLines.next();
  }
  reader.kill('SIGTERM');
  const { read, missed } = JSON.parse((await outputLines.next()).value);
  assert.is(missed, 0);
  assert.ok(read > 0);
});

test('changes nothing and leaves nothing behind when a build fails', async () => {
  const fail = async (into: string): Promise<never> => {
    await writeOutput('half')(into);
    throw new Error('a syntax error');
  };
  const tried = () =>
    buildAtomically(outputFolder, fail).then(
      () => 'built',
      (error: Error) => error.message,
    );
  assert.is(await tried(), 'a syntax error');
  assert.equal(await readdir(folder), []);
  await buildAtomically(outputFolder, writeOutput('good'));
  const buildsBefore = await listBuilds();
  for (let attempt = 0; attempt < 2; attempt += 1) assert.is(await tried(), 'a syntax error');
  assert.is(await readBuiltName(), 'good');
  assert.equal(await listBuilds(), buildsBefore);
});

test('removes a killed build’s remains with the next build, failed or not', async () => {
  await buildAtomically(outputFolder, writeOutput('good'));
  const killed = startProcess(`
    import { writeFile } from 'node:fs/promises';
    const { buildAtomically } = await import(process.argv[1]);
    await buildAtomically(process.argv[2], async (into) => { await writeFile(into + '/half', ''); console.log('half'); await new Promise(() => setInterval(() => {}, 1000)); });`);
  await once(killed.stdout, 'data');
  assert.is((await listBuilds()).length, 2);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  assert.is(await readBuiltName(), 'good');
  await buildAtomically(outputFolder, () => Promise.reject(new Error('no'))).catch(() => undefined);
  assert.is((await listBuilds()).length, 1);
  assert.is(await readBuiltName(), 'good');
});

test('ends with one whole build when two run at once', async () => {
  const slow = (name: string, before: Promise<unknown>) => async (into: string) => {
    await writeOutput(name)(into);
    await before;
    return name;
  };
  let begun = (): void => undefined;
  const together = new Promise<void>((done) => (begun = done));
  const first = buildAtomically(outputFolder, slow('first', together));
  const second = buildAtomically(outputFolder, slow('second', Promise.resolve(begun())));
  assert.equal(await Promise.all([first, second]), ['first', 'second']);
  assert.is(await readBuiltName('app'), await readBuiltName('server'));
  // The slower process began first.
  const otherBuild = startProcess(`
    import { mkdir, writeFile } from 'node:fs/promises';
    const { buildAtomically } = await import(process.argv[1]);
    await buildAtomically(process.argv[2], async (into) => { for (const part of ['app', 'server']) { await mkdir(into + '/' + part); await writeFile(into + '/' + part + '/name', 'other'); } const alive = setInterval(() => {}, 1000); const told = new Promise((done) => process.once('SIGUSR2', done)); console.log('half'); await told; clearInterval(alive); });`);
  await once(otherBuild.stdout, 'data');
  for (const name of ['quick', 'quicker']) await buildAtomically(outputFolder, writeOutput(name));
  assert.is(await readBuiltName(), 'quicker');
  otherBuild.kill('SIGUSR2');
  assert.equal(await once(otherBuild, 'close'), [0, null]);
  assert.equal([await readBuiltName('app'), await readBuiltName('server')], ['other', 'other']);
});

test('keeps the build a running server started from until that server ends', async () => {
  const server = startProcess('setInterval(() => {}, 1000)');
  await buildAtomically(outputFolder, writeOutput('started'));
  await mkdir(join(outputFolder, 'used-by'));
  await writeFile(join(outputFolder, 'used-by', String(server.pid)), '');
  const held = resolve(folder, await readlink(outputFolder));
  for (const name of ['two', 'three', 'four'])
    await buildAtomically(outputFolder, writeOutput(name));
  assert.is(await readFile(join(held, 'app/name'), 'utf8'), 'started');
  assert.is((await listBuilds()).length, 3);
  server.kill('SIGKILL');
  await once(server, 'close');
  await buildAtomically(outputFolder, writeOutput('five'));
  assert.is((await listBuilds()).length, 2);
});

test('removes nothing that no build created', async () => {
  await buildAtomically(outputFolder, writeOutput('one'));
  const own = join(folder, '.dist-builds/notes');
  await writeFile(own, 'mine');
  for (const name of ['two', 'three']) await buildAtomically(outputFolder, writeOutput(name));
  assert.ok((await stat(own)).isFile());
});

test.run();
