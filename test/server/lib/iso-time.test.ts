import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readIsoTime } from '../../../src/shared/iso-time';

const test = suite('times of ISO 8601');

test('reads days that exist, in any zone', () => {
  for (const [text, time] of [
    ['2028-02-29T10:00Z', Date.UTC(2028, 1, 29, 10)],
    ['2000-02-29T23:59:59.1239Z', Date.UTC(2000, 1, 29, 23, 59, 59, 123)],
    ['2026-12-31T23:30:00-05:30', Date.UTC(2027, 0, 1, 5)],
    ['2027-01-01T00:30:00.5+14:00', Date.UTC(2026, 11, 31, 10, 30, 0, 500)],
  ] as const)
    assert.is(readIsoTime(text), time, text);
});

test('rejects days, hours and offsets that do not exist', () => {
  for (const text of [
    '2027-02-31T10:00:00Z',
    '2027-02-29T10:00:00Z',
    '2100-02-29T10:00:00Z',
    '2027-04-31T10:00:00Z',
    '2027-00-01T10:00:00Z',
    '2027-01-00T10:00:00Z',
    '2027-01-01T24:00:00Z',
    '2027-01-01T10:60:00Z',
    '2027-01-01T10:00:60Z',
    '2027-01-01T10:00:00+24:00',
    '2027-01-01T10:00:00+01:60',
    '2027-01-01T10:00:00',
    '2027-01-01',
    `2027-01-01T10:00:00.${'0'.repeat(60)}Z`,
  ])
    assert.is(readIsoTime(text), undefined, text);
});

test.run();
