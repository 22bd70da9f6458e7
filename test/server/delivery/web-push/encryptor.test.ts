import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEncryptor, type Encryptor } from '../../../../server/delivery/web-push/encryptor';
import { createLog } from '../../../../server/lib/log';
import { eventually } from '../../../support/eventually';
import { createPushSubscriber } from '../../../support/push-services/subscriber';

const test = suite('encryption thread');

declare const ENCRYPTION_THREAD: string;
/** More than one batch. */
const ENCRYPTIONS = 40;

let log: string[];
let threads: Worker[];
let encryptors: Encryptor[];

test.before.each(() => {
  [log, threads, encryptors] = [[], [], []];
});
test.after.each(async () => {
  for (const encryptor of encryptors) await encryptor.close();
});

/** @param code what the thread runs instead of ours */
function create(code = ENCRYPTION_THREAD): Encryptor {
  const encryptor = createEncryptor(
    createLog((line) => log.push(line)),
    () => {
      const thread = new Worker(code, { eval: true });
      threads.push(thread);
      return thread;
    },
  );
  encryptors.push(encryptor);
  return encryptor;
}

/**
 * Each gets its own text.
 * @returns what their browsers read
 */
function encryptFor(count: number, encryptor: Encryptor): Promise<unknown[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { keys, read } = createPushSubscriber();
      const body = await encryptor.encrypt({
        text: JSON.stringify(`text ${index}`),
        keys,
      });
      return body && read(body);
    }),
  );
}
const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

test('encrypts many messages in one thread, each for its own browser', async () => {
  const encryptor = create();
  for (let round = 0; round < 3; round++)
    assert.equal(await encryptFor(ENCRYPTIONS, encryptor), texts(ENCRYPTIONS));
  assert.is(threads.length, 1);
  assert.equal(log, []);
});

for (const count of [1, ENCRYPTIONS]) {
  test(`returns no body for invalid keys, and encrypts ${count} others`, async () => {
    const encryptor = create();
    const bad = [
      { p256dh: 'AAAA', auth: 'AAAA' },
      { p256dh: '', auth: '' },
      { p256dh: 'B'.repeat(87), auth: 'AAAA' },
    ];
    const bodies = bad.map((keys) => encryptor.encrypt({ text: 'x', keys }));
    assert.equal(await encryptFor(count, encryptor), texts(count));
    assert.equal(await Promise.all(bodies), [undefined, undefined, undefined]);
  });
}

const WORKER_THREADS = `const { parentPort } = require('node:worker_threads');`;
for (const [how, code] of Object.entries({
  fails: `throw new Error('broken')`,
  'ends when it is asked': `${WORKER_THREADS} parentPort.on('message', () => process.exit(3))`,
  'fails in the middle': `${ENCRYPTION_THREAD}; let batches = 0; ${WORKER_THREADS} parentPort.on('message', () => { if (++batches === 2) throw new Error('broken') })`,
})) {
  test(`survives an encryption thread that ${how}: loses no message, reports it once`, async () => {
    const encryptor = create(code);
    assert.equal(await encryptFor(ENCRYPTIONS, encryptor), texts(ENCRYPTIONS));
    await eventually(() => log.length > 0, 'a line in the log');
    assert.equal(await encryptFor(ENCRYPTIONS, encryptor), texts(ENCRYPTIONS));
    assert.equal(
      log.map((line) => JSON.parse(line).event),
      ['encryption thread lost, encrypting without it'],
    );
    assert.is(threads.length, 1);
  });
}

test.run();
