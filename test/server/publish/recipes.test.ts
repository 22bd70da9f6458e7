/** Runs the recipes of server/deploy/integrate.md with this host and key. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { listen } from '../../../server/http/connections/listen';
import { createTopicKey } from '../../support/server/topic-keys';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('recipes');

/** The first code below that heading. */
function readRecipe(heading: string): string {
  const [, text = ''] = readFileSync('server/deploy/integrate.md', 'utf8').split(
    `\n### ${heading}\n`,
  );
  return /^```\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '';
}

/**
 * Runs it against this server.
 * @returns what was sent
 */
async function run(text: string, rest = ''): Promise<[title: string | null, text: string][]> {
  const key = await createTopicKey(server, await server.createTopic());
  const { port, stop } = await listen(server.app, { port: 0, host: '127.0.0.1' });
  const script = text
    .replaceAll('https://bell.example', `http://127.0.0.1:${port}`)
    .replaceAll('fbk_KEY', key);
  assert.is.not(script, text);
  assert.match(script, / -m \d+ --retry \d --retry-connrefused --retry-max-time \d+ /);
  await promisify(execFile)('bash', ['-c', `${script}\n${rest}`]);
  await stop();
  const rows = await server.services.db.selectFrom('messages').select(['title', 'text']).execute();
  return rows.map((row) => [row.title, row.text]);
}

test('runs the cron recipe, which notifies only about failures', async () => {
  const line = readRecipe('cron').replace(/^[\d*]+( [\d*]+){4} /, '');
  assert.not.match(line, /%/, 'which cron takes for the end of a line');
  const failing = line.replace('/usr/local/bin/backup', 'false');
  const [[title, text] = [], ...more] = await run(failing);
  assert.equal([title, more], ['Backup failed', []]);
  assert.match(text ?? '', /^On \S+$/);
  assert.is((await run(line.replace('/usr/local/bin/backup', 'true'))).length, 1);
});

test("runs the systemd recipe with the failed unit's name", async () => {
  const command =
    /^ExecStart=(curl .*)$/m.exec(readRecipe('systemd').replace(/\\\n\s*/g, ''))?.[1] ?? '';
  const filled = command.replaceAll('%i', 'backup.service').replaceAll('%H', 'depot');
  assert.not.match(filled, /[%$]/, 'which systemd would fill in');
  assert.equal(await run(filled), [[null, 'backup.service failed on depot']]);
});

test('runs the recipes of heartbeats; a failed backup sends none', async () => {
  const cron = (heading: string) => readRecipe(heading).replace(/^[\d*/]+( [\d*]+){4} /, '');
  const backup = cron('Heartbeat of a backup');
  await assertFails(run(backup.replace('/usr/local/bin/backup', 'false')));
  const timer =
    /^ExecStartPost=(curl .*)$/m.exec(readRecipe('Heartbeat of a systemd timer'))?.[1] ?? '';
  for (const line of [
    backup.replace('/usr/local/bin/backup', 'true'),
    timer.replace('%p', 'sync'),
    cron('Heartbeat of a machine'),
  ]) {
    assert.not.match(line, /%/, 'which cron and systemd would replace');
    await run(line);
  }
  const rows = await server.services.db.selectFrom('heartbeats').selectAll().execute();
  assert.equal(
    rows.map(({ name, every_seconds }) => [name, every_seconds]),
    [
      ['nightly-backup', 86_400],
      ['sync', 3600],
      ['pump-station-4', 300],
    ],
  );
});

async function assertFails(running: Promise<unknown>): Promise<void> {
  const outcome = await running.then(() => 'succeeded').catch(() => 'failed');
  assert.is(outcome, 'failed');
}

test('runs the Home Assistant recipe', async () => {
  const { bell } = parse(readRecipe('Home Assistant')).rest_command;
  assert.equal(Object.keys(bell), ['url', 'method', 'headers', 'content_type', 'payload']);
  const key = await createTopicKey(server, await server.createTopic());
  const fill = (text: string): string =>
    text
      .replace('fbk_KEY', key)
      .replace('{{ title }}', 'Door')
      .replace('{{ message }}', 'It is open');
  const response = await server.request(new URL(bell.url).pathname, {
    method: bell.method.toUpperCase(),
    // Home Assistant sends bytes, which are `application/octet-stream` unless the recipe says more.
    headers: {
      'Content-Type': bell.content_type,
      ...Object.fromEntries(
        Object.entries<string>(bell.headers).map(([name, value]) => [name, fill(value)]),
      ),
    },
    body: fill(bell.payload),
  });
  assert.is(response.status, 202);
  const row = await server.services.db.selectFrom('messages').selectAll().executeTakeFirst();
  assert.equal([row?.title, row?.text], ['Door', 'It is open']);
});

test('runs the shell recipe', async () => {
  const texts = await run(
    readRecipe('Shell').replace(/^make;.*$/m, ''),
    'bell make ended with 2; bell',
  );
  assert.equal(texts.map(([, text]) => text).sort(), ['done', 'make ended with 2']);
});

test.run();
