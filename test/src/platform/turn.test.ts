import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inTurn } from '../../../src/platform/turn';

const test = suite('turns');
/** Locks as another tab leaves them: `request` decides what becomes of the wish for one. */
function locks(request: ((name: string, options: LockOptions, work: () => unknown) => Promise<unknown>) | undefined): void {
  Object.defineProperty(navigator, 'locks', { configurable: true, value: request && { request } });
}
test.after.each(() => locks(undefined));
const held = (_: string, { signal }: LockOptions) => new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

test('the work is done in its turn, and its outcome handed on', async () => {
  locks(async (_, __, work) => work());
  assert.is(await inTurn('device', async () => 7), 7);
});

test('work that fails is not done again', async () => {
  locks(async (_, __, work) => work());
  let times = 0;
  const fail = async () => Promise.reject(new Error(`no ${++times}`));
  assert.is(await inTurn('device', fail).catch((error: Error) => error.message), 'no 1');
});

test('whoever cannot wait goes ahead when the time is over', async () => {
  locks(held);
  assert.is(await inTurn('device', async () => 'out of turn', 5), 'out of turn');
});

test('without locks the work is done at once', async () => {
  locks(undefined);
  assert.is(await inTurn('device', async () => 7), 7);
  locks(() => Promise.reject(new DOMException('blocked', 'SecurityError')));
  assert.is(await inTurn('device', async () => 7), 7);
});

test.run();
