import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createConcurrencyLimiter } from '../../../../server/http/access/person-limits';
import { HttpError } from '../../../../server/http/errors';

const test = suite('concurrent requests of a person');

/** Work that lasts until it is ended. */
function createPendingWork() {
  let startedCount = 0;
  const ends: (() => void)[] = [];
  return {
    work: () => {
      startedCount += 1;
      return new Promise<number>((resolve) => ends.push(() => resolve(startedCount)));
    },
    begun: () => startedCount,
    end: async () => {
      ends.shift()?.();
      await new Promise(setImmediate);
    },
  };
}
const nextTurn = () => new Promise(setImmediate);

test("limits a person's concurrent changes, and starts the next when one ends", async () => {
  const inTurn = createConcurrencyLimiter({ atOnce: 2, waiting: 5 });
  const [firstWork, secondWork] = [createPendingWork(), createPendingWork()];
  const runs = Array.from({ length: 4 }, () => inTurn(1, firstWork.work));
  const other = inTurn(2, secondWork.work);
  await nextTurn();
  assert.equal([firstWork.begun(), secondWork.begun()], [2, 1]);
  await firstWork.end();
  assert.is(firstWork.begun(), 3);
  for (let nth = 0; nth < 2; nth += 1) await firstWork.end();
  assert.is(firstWork.begun(), 4, 'one of them is still under way');
  runs.push(inTurn(1, firstWork.work), inTurn(1, firstWork.work));
  await nextTurn();
  assert.is(firstWork.begun(), 5, 'so one more begins, and another waits');
  for (let nth = 0; nth < 3; nth += 1) await firstWork.end();
  await secondWork.end();
  await Promise.all([...runs, other]);
  assert.is(firstWork.begun(), 6);
});

test('rejects more waiting changes than allowed, and recovers, even after failures', async () => {
  const inTurn = createConcurrencyLimiter({ atOnce: 1, waiting: 1 });
  for (const time of ['first', 'second', 'third']) {
    const { work, end } = createPendingWork();
    const failing = inTurn(1, () => work().then(() => Promise.reject(new Error('no disk'))));
    const waiting = inTurn(1, work);
    const rejection = await inTurn(1, work).catch((error: unknown) => error);
    assert.instance(rejection, HttpError, time);
    assert.equal(
      [(rejection as HttpError).status, (rejection as HttpError).retryAfterSeconds],
      [429, 1],
    );
    const failed = failing.catch((error: Error) => error.message);
    await nextTurn();
    await end();
    assert.is(await failed, 'no disk', time);
    await end();
    assert.is(await waiting, 2, time);
  }
});

test.run();
