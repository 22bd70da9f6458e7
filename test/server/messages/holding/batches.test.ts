import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_HELD, inBatches } from '../../../../server/messages/holding/batches';

const test = suite('batches of people whose quiet hours end');

test('people are dealt with together as long as not too many messages wait for them, and who has more is alone', () => {
  const held = new Map([
    [1, MAX_HELD - 60],
    [2, 50],
    [3, 20],
    [4, 5 * MAX_HELD],
    [5, MAX_HELD],
    [7, 1],
  ]);
  assert.equal(
    inBatches([1, 2, 3, 4, 5, 6, 7], (id) => held.get(id) ?? 0),
    [[1, 2], [3], [4], [5, 6], [7]],
  );
  assert.equal(
    inBatches([], () => 1),
    [],
  );
});

test.run();
