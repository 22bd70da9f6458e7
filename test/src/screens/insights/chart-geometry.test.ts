import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { barsPath } from '../../../../src/screens/insights/chart-geometry';

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

test.run();
