import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLock } from '../../../src/platform/lock';

const test = suite('locks');
/** Simulates locks that another tab left. */
function fakeLocks(
  request:
    | ((name: string, options: LockOptions, work: () => unknown) => Promise<unknown>)
    | undefined,
): void {
  Object.defineProperty(navigator, 'locks', { configurable: true, value: request && { request } });
}
test.after.each(() => fakeLocks(undefined));
const rejectOnAbort = (_: string, { signal }: LockOptions) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

test('does the work in its turn, and returns its result', async () => {
  fakeLocks(async (_, __, work) => work());
  assert.is(await withLock('device', async () => 7), 7);
});

test('rejects with the first error of failed work', async () => {
  fakeLocks(async (_, __, work) => work());
  let times = 0;
  const fail = async () => Promise.reject(new Error(`no ${++times}`));
  assert.is(await withLock('device', fail).catch((error: Error) => error.message), 'no 1');
});

test('starts urgent work when its waiting time is over', async () => {
  fakeLocks(rejectOnAbort);
  assert.is(await withLock('device', async () => 'out of turn', 5), 'out of turn');
});

test('does the work at once without locks', async () => {
  fakeLocks(undefined);
  assert.is(await withLock('device', async () => 7), 7);
  fakeLocks(() => Promise.reject(new DOMException('blocked', 'SecurityError')));
  assert.is(await withLock('device', async () => 7), 7);
});

test('waits in the given name up to the given limit, without a limit for patient work', async () => {
  const lockRequests: unknown[] = [];
  const limits: number[] = [];
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (milliseconds) => (
    limits.push(milliseconds), timeout.call(AbortSignal, milliseconds)
  );
  fakeLocks(async (name, { signal }, work) => {
    lockRequests.push([name, signal instanceof AbortSignal]);
    return work();
  });
  try {
    await withLock('device', async () => 1);
    await withLock('other', async () => 2, 3000);
    await withLock('device', async () => 3, 500);
  } finally {
    AbortSignal.timeout = timeout;
  }
  assert.equal(lockRequests, [
    ['device', false],
    ['other', true],
    ['device', true],
  ]);
  assert.equal(limits, [3000, 500]);
});

test('does failing work without locks only once, and fails with its reason', async () => {
  fakeLocks(undefined);
  let times = 0;
  assert.is(
    await withLock('device', async () => Promise.reject(new Error(`no ${++times}`))).catch(
      (error: Error) => error.message,
    ),
    'no 1',
  );
});

test('does work that finishes at its limit only once', async () => {
  fakeLocks(async (_, __, work) => {
    await work();
    throw new DOMException('too late', 'AbortError');
  });
  let times = 0;
  await withLock('device', async () => ++times, 5).catch(() => {});
  assert.is(times, 1);
});

test.run();
