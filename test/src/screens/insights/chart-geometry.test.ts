import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { barsPath, logScale, sparsePaths } from '../../../../src/screens/insights/chart-geometry';

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

test('keeps a median of seconds readable beside the slowest day, whose time fits', () => {
  const tops = [0, 100, 101, 901, 3601, 604_800].map((longest) => logScale(longest).top);
  assert.equal(tops, [100, 100, 900, 3600, 4 * 3600, 169 * 3600]);
  const { heightOf } = logScale(3600);
  assert.equal([null, 0.4, 1, 60, 3600].map(heightOf), [null, 0, 0, 50, 100]);
});

test('joins days in a row, and bridges days without a value', () => {
  assert.equal(sparsePaths([50, 50, null, null, 100]), {
    line: 'M10,50 30,50',
    bridge: 'M30,50 90,0',
    dots: 'M10,50h0M30,50h0M90,0h0',
  });
  assert.equal(sparsePaths([null]), { line: '', bridge: '', dots: '' });
});

test.run();
