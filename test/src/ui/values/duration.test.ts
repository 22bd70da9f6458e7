import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { agoText, delayText } from '../../../../src/ui/values/duration';

const test = suite('durations');

for (const [milliseconds, text] of [
  [30_001, '30 s'],
  [40_400, '40 s'],
  [89_000, '89 s'],
  [90_000, '2 min'],
  [3 * 60_000, '3 min'],
  [89 * 60_000, '89 min'],
  [90 * 60_000, '2 h'],
  [23.6 * 3600_000, '24 h'],
] as const)
  test(`writes a delay of ${milliseconds} ms as ${text}`, () =>
    assert.is(delayText(milliseconds), text));

for (const [minutes, text] of [
  [0, 'now'],
  [-5, 'now'],
  [Number.NaN, 'now'],
  [1.9, 'now'],
  [2, '2 minutes ago'],
  [59, '59 minutes ago'],
  [60, '1 hour ago'],
  [125, '2 hours ago'],
  [47 * 60, '47 hours ago'],
  [48 * 60, '2 days ago'],
  [41.4 * 24 * 60, '41 days ago'],
] as const)
  test(`writes ${minutes} minutes ago as ${text}`, () =>
    assert.is(agoText(minutes * 60_000), text));

test.run();
