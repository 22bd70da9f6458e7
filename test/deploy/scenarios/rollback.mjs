import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openServerDatabase, addSubscribers } from '../../abuse/people.mjs';
import { signIn } from '../../abuse/process.mjs';
import { startPostgres } from '../../support/processes/postgres.mjs';
import { Skipped } from '../skipped.mjs';

const MIGRATIONS = 'server/db/migrations';

/**
 * The version before the newest migration runs on and starts on a migrated database, and this
 * version finds all that it did. On both engines.
 */
export async function testRollback(setup) {
  const before = buildBefore(setup.cache);
  const postgres = await startPostgres();
  setup.cleanUp(() => postgres.stop());
  const engines = [];
  for (const engine of ['sqlite', 'postgres']) {
    const environment = {
      DATA_DIR: path.join(setup.folder, engine),
      DATABASE_URL: engine === 'postgres' ? await postgres.createDatabase('rollback') : '',
    };
    await upgradeAndRollBack(setup, engine, environment, before.built);
    engines.push(engine);
  }
  return `${before.name} runs beside this version, takes over from it and gives back, on ${engines.join(' and ')}`;
}

/**
 * The last commit before the newest migration, or BEFORE.
 * @throws Skipped if the clone does not have it
 */
function buildBefore(cache) {
  const git = (...words) => execFileSync('git', words, { encoding: 'utf8' }).trim();
  const newest = readdirSync(MIGRATIONS).sort().at(-1) ?? '';
  if (!process.env.BEFORE && newest < '002')
    throw new Skipped('before the first migration there is no version to go back to');
  const added = git('log', '--diff-filter=A', '--format=%H', '--', `${MIGRATIONS}/${newest}`);
  const [commit = ''] = added.split('\n').slice(-1);
  const parent = process.env.BEFORE ?? (commit && parentOf(git, commit));
  if (!parent)
    throw new Skipped(
      `the commit before ${newest} is not in this clone (git fetch --unshallow brings it)`,
    );
  const source = path.join(cache, 'before');
  mkdirSync(source);
  const archive = execFileSync('git', ['archive', parent], { maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', source], { input: archive });
  // Its own build with our packages, which lie above its folder.
  const made = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { buildServer } = await import('./test/abuse/process.mjs'); console.log(await buildServer())`,
    ],
    { cwd: source, encoding: 'utf8' },
  );
  return { built: made.trim(), name: `${parent.slice(0, 7)} (before ${newest})` };
}

function parentOf(git, commit) {
  try {
    return git('rev-parse', '--verify', '--quiet', `${commit}^`);
  } catch {
    return undefined;
  }
}

async function upgradeAndRollBack({ start, sink, built }, engine, environment, before) {
  let pushes = (await sink.tally()).received;
  const arrive = async () => {
    pushes += 1;
    while ((await sink.tally()).received < pushes) await wait(20); // the sink is another process
  };
  const old = await start(environment, before);
  const oldCall = await signIn(old.address);
  const topic = await oldCall('POST', '/admin/topics', { title: 'Outages', description: 'All' });
  const database = await openServerDatabase(environment);
  await addSubscribers(database, topic.id, 1, `${sink.origin}/${engine}`);
  await database.close();
  const send = (as, message) =>
    as('POST', `/admin/notifications/send-topic/${topic.id}`, { message });
  const sent = [await send(oldCall, 'by the version before')];
  await arrive();

  // This version migrates while the other one runs.
  const now = await start(environment, built);
  const call = await signIn(now.address);
  sent.push(
    await send(call, 'by this version'),
    await send(oldCall, 'by the version before, beside'),
  );
  await arrive();
  await arrive();
  await oldCall('POST', '/admin/topics', { title: 'Beside', description: 'Made beside' });
  assert.equal((await old.end('SIGTERM')).code, 0);
  await call('POST', '/admin/topics', { title: 'After', description: 'Made after' });
  assert.equal((await now.end('SIGTERM')).code, 0);

  const back = await start(environment, before);
  const backCall = await signIn(back.address);
  sent.push(await send(backCall, 'by the version before, again'));
  await arrive();
  const titles = ({ topics }) => topics.map(({ title }) => title).sort();
  const expected = ['After', 'Beside', 'Outages'];
  assert.deepEqual(titles(await backCall('GET', '/admin/topics')), expected);
  assert.equal((await fetch(`${back.address}/api/health`)).status, 200);
  assert.equal((await back.end('SIGTERM')).code, 0);

  const again = await start(environment, built);
  const againCall = await signIn(again.address);
  assert.deepEqual(titles(await againCall('GET', '/admin/topics')), expected);
  // Rejects if one is missing.
  for (const { messageId } of sent) await againCall('GET', `/admin/messages/${messageId}`);
  for (const server of [old, now, back, again])
    assert.doesNotMatch(server.output(), /"level":"error"/, `a log of ${engine}`);
  assert.equal((await again.end('SIGTERM')).code, 0);
}
