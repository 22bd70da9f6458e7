import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../src/api/error';
import { MAX_PENDING_CREATES, withIdempotencyKey } from '../../../src/api/idempotency';
import { signOut } from '../../../src/state/session';
import { endSession, signInAs } from '../../support/app/session';

const test = suite('idempotency keys');
const ADD = 'POST /api/admin/topics';
let person = 1000;
// A person per test, as keys belong to people.
test.before.each(() => void signInAs('ADMIN', { id: person++ }));
test.after.each(endSession);

const succeed = async (key: string) => key;
const fail = (error: unknown) => (key: string) =>
  Promise.reject(Object.assign(error as Error, { key }));
const lostResponse = () => new ApiError('unreachable', '');
const rejection = (status: number) => new ApiError('rejected', '', status);
const keyOf = (content: unknown, error?: Error): Promise<string> =>
  withIdempotencyKey(ADD, content, error ? fail(error) : succeed).catch(
    ({ key }: { key: string }) => key,
  );

function startAttempt(content: unknown) {
  let reply = (): void => {};
  let lose = (error: Error = lostResponse()): void => void error;
  const key = new Promise<string>((tell) => {
    withIdempotencyKey(ADD, content, (own) => {
      tell(own);
      return new Promise<void>((resolve, reject) => {
        reply = resolve;
        lose = (error = lostResponse()) => reject(error);
      });
    }).then(
      () => settled(),
      () => settled(),
    );
  });
  let settled = (): void => {};
  const end = new Promise<void>((resolve) => (settled = resolve));
  return { key, reply: () => (reply(), end), lose: (error?: Error) => (lose(error), end) };
}

test('makes keys of 128 random bits in 32 digits', async () => {
  const keys = await Promise.all(Array.from({ length: 64 }, (_, index) => keyOf(index)));
  for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/);
  assert.is(new Set(keys).size, 64);
});

test('keeps a request’s key through every failure that may have succeeded', async () => {
  const first = await keyOf('a', lostResponse());
  for (const error of [
    new ApiError('garbled', ''),
    new ApiError('stale', ''),
    rejection(500),
    rejection(503),
    rejection(429),
    rejection(401),
    new TypeError('a bug'),
  ]) {
    assert.is(await keyOf('a', error), first);
  }
  assert.is(await keyOf('a'), first);
  assert.is.not(await keyOf('a'), first, 'the request is known to have succeeded');
});

test('drops a key after a conflict', async () => {
  for (const status of [409, 422]) {
    const first = await keyOf(status, rejection(status));
    assert.is.not(await keyOf(status), first);
  }
});

test('gives the same content for another endpoint another key', async () => {
  const first = await keyOf('a', lostResponse());
  assert.is.not(await withIdempotencyKey('POST /api/admin/users', 'a', succeed), first);
  assert.is(await keyOf('a'), first);
});

test('shares one key between two attempts, and keeps it when the first succeeds', async () => {
  const [firstAttempt, secondAttempt] = [startAttempt('a'), startAttempt('a')];
  const key = await firstAttempt.key;
  assert.is(await secondAttempt.key, key);
  await firstAttempt.reply();
  await secondAttempt.lose();
  for (const _ of [2, 3])
    assert.is(await keyOf('a', lostResponse()), key, 'a retry gets the same response');
  assert.is(await keyOf('a'), key);
  assert.is.not(await keyOf('a'), key);
});

test('keeps the key of a lost attempt though a concurrent one succeeds', async () => {
  const [firstAttempt, secondAttempt] = [startAttempt('a'), startAttempt('a')];
  const key = await firstAttempt.key;
  await secondAttempt.lose();
  await firstAttempt.reply();
  assert.is(await keyOf('a'), key);
  assert.is.not(await keyOf('a'), key);
});

test('keeps the key of a concurrent attempt after the other’s conflict', async () => {
  const [firstAttempt, secondAttempt] = [startAttempt('a'), startAttempt('a')];
  await secondAttempt.lose(rejection(409));
  const third = startAttempt('a');
  assert.is(await third.key, await firstAttempt.key);
  await firstAttempt.reply();
  await third.reply();
  assert.is.not(await keyOf('a'), await firstAttempt.key);
});

test('forgets the oldest keys, but none in flight', async () => {
  const waiting = startAttempt('waiting');
  const oldest = await keyOf('oldest', lostResponse());
  const keptKey = await keyOf('kept', lostResponse());
  for (let index = 0; index < MAX_PENDING_CREATES - 3; index++) await keyOf(index, lostResponse());
  assert.is(await keyOf('oldest', lostResponse()), oldest, 'all fit');
  assert.is(await keyOf('kept', lostResponse()), keptKey);
  for (let index = 0; index < MAX_PENDING_CREATES - 2; index++)
    await keyOf(`more ${index}`, lostResponse());
  assert.is(await keyOf('kept', lostResponse()), keptKey);
  assert.is.not(await keyOf('oldest', lostResponse()), oldest);
  await waiting.lose();
  assert.is(await keyOf('waiting'), await waiting.key);
});

test('keeps keys after a session expires or its person signs out, but not for another person', async () => {
  const id = person - 1;
  const first = await keyOf('a', lostResponse());
  endSession();
  signInAs('ADMIN', { id });
  assert.is(await keyOf('a', lostResponse()), first);
  await signOut();
  signInAs('ADMIN', { id });
  assert.is(await keyOf('a', lostResponse()), first);
  endSession();
  signInAs('ADMIN', { id: person++ });
  assert.is.not(await keyOf('a', lostResponse()), first);
});

test('keeps the next person’s key when a request of the previous one ends', async () => {
  const before = startAttempt('a');
  await before.key;
  signInAs('ADMIN', { id: person++ });
  const own = await keyOf('a', lostResponse());
  assert.is.not(own, await before.key);
  await before.reply();
  assert.is(await keyOf('a'), own);
});

test.run();
