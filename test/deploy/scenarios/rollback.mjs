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
  const previous = buildPreviousVersion(setup.cache);
  const postgres = await startPostgres();
  setup.cleanUp(() => postgres.stop());
  const engines = [];
  for (const engine of ['sqlite', 'postgres']) {
    const environment = {
      DATA_DIR: path.join(setup.folder, engine),
      DATABASE_URL: engine === 'postgres' ? await postgres.createDatabase('rollback') : '',
    };
    await upgradeAndRollBack(setup, engine, environment, previous.built);
    engines.push(engine);
  }
  return `${previous.name} runs beside this version, takes over from it and gives back, on ${engines.join(' and ')}`;
}

/**
 * The last commit before the newest migration, or BEFORE.
 * @throws Skipped if the clone does not have it
 */
function buildPreviousVersion(cache) {
  const git = (...gitArguments) => execFileSync('git', gitArguments, { encoding: 'utf8' }).trim();
  const newest = readdirSync(MIGRATIONS).sort().at(-1) ?? '';
  if (!process.env.BEFORE && newest < '002')
    throw new Skipped('before the first migration there is no version to go back to');
  const addingCommits = git(
    'log',
    '--diff-filter=A',
    '--format=%H',
    '--',
    `${MIGRATIONS}/${newest}`,
  );
  const [commit = ''] = addingCommits.split('\n').slice(-1);
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
  const buildOutput = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { buildServer } = await import('./test/abuse/process.mjs'); console.log(await buildServer())`,
    ],
    { cwd: source, encoding: 'utf8' },
  );
  return { built: buildOutput.trim(), name: `${parent.slice(0, 7)} (before ${newest})` };
}

function parentOf(git, commit) {
  try {
    return git('rev-parse', '--verify', '--quiet', `${commit}^`);
  } catch {
    return undefined;
  }
}

async function upgradeAndRollBack({ start, sink, built }, engine, environment, previousBuild) {
  let pushes = (await sink.countPushes()).received;
  const waitForNextPush = async () => {
    pushes += 1;
    while ((await sink.countPushes()).received < pushes) await wait(20); // the sink is another process
  };
  const previousServer = await start(environment, previousBuild);
  const callPrevious = await signIn(previousServer.address);
  const topic = await callPrevious('POST', '/admin/topics', {
    title: 'Outages',
    description: 'All',
  });
  const database = await openServerDatabase(environment);
  await addSubscribers(database, topic.id, 1, `${sink.origin}/${engine}`);
  await database.close();
  const send = (call, message) =>
    call('POST', `/admin/notifications/send-topic/${topic.id}`, { message });
  const sentMessages = [await send(callPrevious, 'by the version before')];
  await waitForNextPush();

  // This version migrates while the other one runs.
  const currentServer = await start(environment, built);
  const callCurrent = await signIn(currentServer.address);
  sentMessages.push(
    await send(callCurrent, 'by this version'),
    await send(callPrevious, 'by the version before, beside'),
  );
  await waitForNextPush();
  await waitForNextPush();
  await callPrevious('POST', '/admin/topics', { title: 'Beside', description: 'Made beside' });
  assert.equal((await previousServer.end('SIGTERM')).code, 0);
  await callCurrent('POST', '/admin/topics', { title: 'After', description: 'Made after' });
  assert.equal((await currentServer.end('SIGTERM')).code, 0);

  const rolledBackServer = await start(environment, previousBuild);
  const callRolledBack = await signIn(rolledBackServer.address);
  sentMessages.push(await send(callRolledBack, 'by the version before, again'));
  await waitForNextPush();
  const titles = ({ topics }) => topics.map(({ title }) => title).sort();
  const expected = ['After', 'Beside', 'Outages'];
  assert.deepEqual(titles(await callRolledBack('GET', '/admin/topics')), expected);
  assert.equal((await fetch(`${rolledBackServer.address}/api/health`)).status, 200);
  assert.equal((await rolledBackServer.end('SIGTERM')).code, 0);

  const upgradedServer = await start(environment, built);
  const callUpgraded = await signIn(upgradedServer.address);
  assert.deepEqual(titles(await callUpgraded('GET', '/admin/topics')), expected);
  // Rejects if one is missing.
  for (const { messageId } of sentMessages)
    await callUpgraded('GET', `/admin/messages/${messageId}`);
  for (const server of [previousServer, currentServer, rolledBackServer, upgradedServer])
    assert.doesNotMatch(server.output(), /"level":"error"/, `a log of ${engine}`);
  assert.equal((await upgradedServer.end('SIGTERM')).code, 0);
}
