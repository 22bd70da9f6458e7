import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  barsPath,
  dotsAboveTopPath,
  highestUsual,
  sparsePaths,
} from '../../../../src/screens/insights/chart-geometry';

const test = suite('chart geometry');

/** The widths of the bars of these days, in a range of ninety. */
const barWidths = (...days: number[]): string[] => {
  const counts = Array.from({ length: 90 }, (_, nth) => [days.includes(nth) ? 1 : 0]);
  return [...barsPath(counts, 0, 2).matchAll(/h(\d[\d.]*)/g)].map(([, width]) => width ?? '');
};

test('draws few bars wide enough to see, but never over their neighbors', () => {
  assert.equal(barWidths(10, 40), ['4', '4']);
  assert.equal(barWidths(10), ['4']);
  assert.equal(barWidths(10, 11), ['0.8', '0.8']);
  assert.equal(barWidths(10, 13, 40), ['2.3', '2.3', '2.3']);
});

test('scales to usual days, and marks higher values', () => {
  const usual = [20, 40, null, 30, 25];
  assert.is(highestUsual([...usual, 110]), 110);
  assert.is(highestUsual([...usual, 7200]), 40);
  assert.is(highestUsual([4, 4000]), 4000, 'two days have no usual one');
  assert.is(highestUsual([null]), 0);
  assert.is(dotsAboveTopPath([...usual, 7200, 41], 40), 'M78.6,0h0M92.9,0h0');
  assert.is(sparsePaths([20, 7200], 40).line, 'M25,50 75,0');
});

test('joins days in a row, and bridges days without a value', () => {
  assert.equal(sparsePaths([1, 1, null, null, 2], 2), {
    line: 'M10,50 30,50',
    bridge: 'M30,50 90,0',
    dots: 'M10,50h0M30,50h0M90,0h0',
  });
  assert.equal(sparsePaths([null], 2), { line: '', bridge: '', dots: '' });
});

test.run();
