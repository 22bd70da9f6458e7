import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLock } from '../../../src/platform/lock';

const test = suite('turns');
/** Locks as another tab leaves them: `request` decides what becomes of the wish for one. */
function locks(
  request:
    | ((name: string, options: LockOptions, work: () => unknown) => Promise<unknown>)
    | undefined,
): void {
  Object.defineProperty(navigator, 'locks', { configurable: true, value: request && { request } });
}
test.after.each(() => locks(undefined));
const held = (_: string, { signal }: LockOptions) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

test('the work is done in its turn, and its outcome handed on', async () => {
  locks(async (_, __, work) => work());
  assert.is(await withLock('device', async () => 7), 7);
});

test('work that fails is not done again', async () => {
  locks(async (_, __, work) => work());
  let times = 0;
  const fail = async () => Promise.reject(new Error(`no ${++times}`));
  assert.is(await withLock('device', fail).catch((error: Error) => error.message), 'no 1');
});

test('work that cannot wait goes ahead when its time is over', async () => {
  locks(held);
  assert.is(await withLock('device', async () => 'out of turn', 5), 'out of turn');
});

test('without locks the work is done at once', async () => {
  locks(undefined);
  assert.is(await withLock('device', async () => 7), 7);
  locks(() => Promise.reject(new DOMException('blocked', 'SecurityError')));
  assert.is(await withLock('device', async () => 7), 7);
});

test('work that waits says for how long and in whose name, and work that can wait has no limit', async () => {
  const asked: unknown[] = [];
  const limits: number[] = [];
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (milliseconds) => (
    limits.push(milliseconds), timeout.call(AbortSignal, milliseconds)
  );
  locks(async (name, { signal }, work) => {
    asked.push([name, signal instanceof AbortSignal]);
    return work();
  });
  try {
    await withLock('device', async () => 1);
    await withLock('other', async () => 2, 3000);
    await withLock('device', async () => 3, 500);
  } finally {
    AbortSignal.timeout = timeout;
  }
  assert.equal(asked, [
    ['device', false],
    ['other', true],
    ['device', true],
  ]);
  assert.equal(limits, [3000, 500]);
});

test('work that fails out of turn fails once, with its own reason', async () => {
  locks(undefined);
  let times = 0;
  assert.is(
    await withLock('device', async () => Promise.reject(new Error(`no ${++times}`))).catch(
      (error: Error) => error.message,
    ),
    'no 1',
  );
});

test('work that is done when its limit passes is not done a second time', async () => {
  locks(async (_, __, work) => {
    await work();
    throw new DOMException('too late', 'AbortError');
  });
  let times = 0;
  await withLock('device', async () => ++times, 5).catch(() => {});
  assert.is(times, 1);
});

test.run();
