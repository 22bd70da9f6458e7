import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';

/** This much data lets kills hit each step of a restore. */
const TOPIC_COUNT = 3000;

function runAdmin(built, environment, ...commandArguments) {
  const child = spawn(
    process.execPath,
    [path.join(built, 'server/admin.js'), ...commandArguments],
    {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const command = {
    output: '',
    kill: () => child.kill('SIGKILL'),
    ended: once(child, 'close').then(([code]) => code),
  };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (command.output += text));
  return command;
}

/**
 * F11: however often backups and restores are killed, a server has all of the old or all of the new
 * data, the old can be brought back, and no files are left. After a clean stop one file has
 * everything.
 */
export async function testRestores({ start, built, environment, rounds }) {
  const folder = environment.DATA_DIR;
  const pathOf = (name) => path.join(folder, name);
  let server = await start();
  const database = await openServerDatabase(environment);
  const now = Date.now();
  const fill = (title) =>
    database.all(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${TOPIC_COUNT}) insert into topics (title, description, created_at, updated_at) select '${title}' || i, '${'d'.repeat(200)}', ${now}, ${now} from n returning id`,
    );
  const run = async (...commandArguments) => {
    const command = runAdmin(built, environment, ...commandArguments);
    assert.equal(await command.ended, 0, command.output);
    return command.output;
  };
  await fill('old');
  await run('backup', pathOf('old.db'));
  await database.all('delete from topics returning id');
  await fill('new');
  await run('backup', pathOf('new.db'));

  const began = performance.now();
  await run('restore', pathOf('old.db'));
  const totalMs = performance.now() - began;
  const outcomes = { old: 0, new: 0 };
  for (let round = 0; round < rounds * 4; round += 1) {
    const wanted = round % 2 ? 'old' : 'new';
    const command =
      round % 4 < 3
        ? runAdmin(built, environment, 'restore', pathOf(`${wanted}.db`))
        : runAdmin(built, environment, 'backup', pathOf(`again-${round}.db`));
    await wait(Math.random() * totalMs);
    command.kill();
    await command.ended;
    const kinds = await database.all(
      `select substr(title, 1, 3) as kind, count(*) as topics from topics group by 1`,
    );
    assert.equal(kinds.length, 1, JSON.stringify(kinds));
    assert.equal(Number(kinds[0].topics), TOPIC_COUNT);
    outcomes[kinds[0].kind] += 1;
    // A killed backup leaves no file with that name.
    for (const name of await fs.readdir(folder))
      if (/^(before-restore|again).*\.db$/.test(name)) await fs.access(pathOf(`${name}.sha256`));
  }
  const output = await run('restore', pathOf('old.db'));
  const call = await signIn(server.address);
  assert.equal((await call('GET', '/admin/topics')).total, TOPIC_COUNT);
  await run('restore', /before the restore is in (.+)\.$/m.exec(output)?.[1]);
  const unfinishedFiles = (await fs.readdir(folder)).filter((name) => name.includes('unfinished'));
  assert.deepEqual(unfinishedFiles, []);

  await signIn(server.address).then((again) =>
    again('POST', '/admin/topics', { title: 'The last', description: 'Just before the stop' }),
  );
  await database.close();
  assert.equal((await server.end('SIGTERM')).code, 0);
  const copied = `${folder}-copied`;
  await fs.mkdir(copied);
  await fs.copyFile(pathOf('fieldbell.db'), path.join(copied, 'fieldbell.db'));
  server = await start({ DATA_DIR: copied });
  const moved = await signIn(server.address);
  assert.equal((await moved('GET', '/admin/topics')).total, TOPIC_COUNT + 1);
  await server.end('SIGTERM');
  return `${rounds * 4} kills of commands that take ${totalMs.toFixed()} ms: ${outcomes.old} times the old, ${outcomes.new} times the new, never a mixture`;
}
