import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SentMessage } from '../../src/shared/contract';
import { startDemo } from '../../server/demo/run';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../server/demo/sample';
import { createLog } from '../../server/lib/log';
import { eventually } from '../support/eventually';

const test = suite('the demo');

test('displays, reads and answers messages in a running demo, and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-test-'));
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  const lines: string[] = [];
  const log = createLog((line) => void lines.push(line));
  const demo = await startDemo({ PORT: '0' }, log, folder, 0.02);
  const call = async (method: string, path: string, body?: object, by = '') => {
    const response = await fetch(`${demo.address}/api${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${by}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const { token } = await call('POST', '/auth/login', {
    username: DEMO_ADMIN,
    password: DEMO_PASSWORD,
  });
  const { users } = await call('GET', '/admin/users?limit=100', undefined, token);
  const userIds = users.map(({ id }: { id: number }) => id);
  const newMessage = { message: 'Hello', userIds, answers: ['Yes', 'No'] };
  const { messageId } = await call('POST', '/admin/messages', newMessage, token);
  const seenMessage = await eventually(async () => {
    const message: SentMessage = await call(
      'GET',
      `/admin/messages/${messageId}`,
      undefined,
      token,
    );
    const { displayed, read, acknowledged } = message.people;
    return message.pending === 0 && displayed > 30 && read > 15 && acknowledged > 10 && message;
  }, 'answers of phones');
  assert.ok(seenMessage.accepted > 50 && seenMessage.failed > 0 && seenMessage.gone > 0);
  assert.ok(
    seenMessage.people.displayed < seenMessage.people.total - seenMessage.people.unreachable,
    'one is silent',
  );
  const hooks = await eventually(async () => {
    const { webhooks } = await call('GET', '/admin/webhooks', undefined, token);
    return webhooks.every(
      ({ failingSince }: { failingSince: string | null }) => failingSince === null,
    )
      ? undefined
      : webhooks;
  }, 'a webhook that fails');
  assert.ok(hooks.some(({ lastStatus }: { lastStatus: number }) => lastStatus === 500));
  const { port } = new URL(demo.address);
  const [other] = Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).filter(({ internal, family }) => !internal && family === 'IPv4'),
  );
  if (other)
    await fetch(`http://${other.address}:${port}/`).then(
      () => assert.unreachable('another machine gets in'),
      () => undefined,
    );
  await demo.stop();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  assert.equal(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
  assert.equal(
    lines.filter((line) => line.includes('"level":"error"')),
    [],
  );
});

test.run();
