import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { signIn, startProcess } from '../process.mjs';
import { getPort } from '../../support/port.mjs';

/** B23: when it must stop under load, the server answers open requests and ends within 10 s. */
export async function testStopUnderLoad({ start }) {
  const mailServer = await startEndlessMailServer();
  const server = await start({ SMTP_URL: mailServer.url });
  const call = await signIn(server.address);
  await askForMail(call);
  await mailServer.connected;
  let responses = 0;
  const failures = [];
  const clients = Array.from({ length: 10 }, async () => {
    for (;;) {
      try {
        await call('GET', '/admin/users');
        responses += 1;
      } catch (error) {
        // The server may refuse or close a connection between requests, but not within an answer.
        const code = error.cause?.code ?? error.message;
        if (!['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(code)) failures.push(code);
        return;
      }
    }
  });
  await wait(500); // under load
  const { code, milliseconds } = await server.end('SIGTERM');
  await Promise.all(clients);
  assert.equal(code, 0);
  assert.ok(milliseconds <= 10_000);
  assert.deepEqual(failures, []);
  assert.match(server.output(), /"event":"stopped"/);
  assert.ok(responses > 0);
  mailServer.stop();
  return `${responses} requests answered, gone after ${milliseconds.toFixed()} ms`;
}

/** A mail server that never ends its answer. `connected` resolves with the first connection. */
async function startEndlessMailServer() {
  const server = createServer((socket) => {
    socket.write('220 mail\r\n');
    const talking = setInterval(() => socket.write('250-and another thing\r\n'), 500);
    socket
      .resume()
      .on('error', () => undefined)
      .on('close', () => clearInterval(talking));
  });
  const connected = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${getPort(server)}`,
    connected,
    stop: () => server.close(),
  };
}

async function askForMail(call) {
  const { user } = await call('POST', '/admin/users', { username: 'somebody', role: 'CUSTOMER' });
  await call('POST', '/auth/complete-registration', {
    token: user.registrationToken,
    password: 'a good password',
    email: 'somebody@mail.example',
  });
}

/** B23, B24: a start with bad configuration ends with a sentence and no stack. */
export async function testRefusedStart({ built, environment }) {
  /** @type {[wrong: NodeJS.ProcessEnv, sentence: RegExp][]} */
  const cases = [
    [{ JWT_SECRET: 'weak' }, /^JWT_SECRET must have at least 32 bytes/],
    [{ PORT: '70000' }, /^PORT must be at most 65535/],
    [{ DATA_DIR: '/dev/null' }, /^DATA_DIR must be a folder/],
    [{ DATA_DIR: '/proc/fieldbell/data' }, /^DATA_DIR cannot be created/],
    ...(environment.DATABASE_URL
      ? /** @type {[NodeJS.ProcessEnv, RegExp][]} */ ([
          [
            { DATABASE_URL: `${environment.DATABASE_URL}_none` },
            /^PostgreSQL rejects the connection: database ".+_none" does not exist\. Check DATABASE_URL/,
          ],
        ])
      : []),
  ];
  for (const [wrong, sentence] of cases) {
    const error = await startProcess(built, { ...environment, ...wrong }).then(
      () => new Error('The server started.'),
      (reason) => reason,
    );
    const lines = error.message
      .split('\n')
      .slice(1)
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    assert.match(
      lines.find(({ event }) => event === 'start failed')?.reason ?? error.message,
      sentence,
    );
  }
  return 'each refused with a sentence, in JSON';
}
