import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../server/http/errors';
import { readDelay } from '../../../server/publish/delay';

const test = suite('delays');
/** A Friday, 14:00 by this machine's clock. */
const NOW = new Date(2026, 10, 20, 14).valueOf();
const read = (text: string): number => Date.parse(readDelay(text, NOW));
const inDays = (days: number, hour: number, minute = 0): number =>
  new Date(2026, 10, 20 + days, hour, minute).valueOf();

test('reads durations, timestamps, times of day and ISO 8601 like ntfy', () => {
  const times: Record<string, number> = {
    '30m': NOW + 30 * 60_000,
    '30min': NOW + 30 * 60_000,
    '30 mins': NOW + 30 * 60_000,
    '2 hours': NOW + 2 * 3_600_000,
    '1 day': NOW + 24 * 3_600_000,
    '2 days': NOW + 48 * 3_600_000,
    '90s': NOW + 90_000,
    '1h30m': NOW + 90 * 60_000,
    '1.5h': NOW + 90 * 60_000,
    'in 10 minutes': NOW + 600_000,
    ' 3H ': NOW + 3 * 3_600_000,
    '1795000000': 1_795_000_000_000,
    '0': 0,
    '3pm': inDays(0, 15),
    '10am': inDays(1, 10),
    '12am': inDays(1, 0),
    '12:30pm': inDays(1, 12, 30),
    '8:30pm': inDays(0, 20, 30),
    '15:45': inDays(0, 15, 45),
    'tomorrow, 10am': inDays(1, 10),
    'Tomorrow 3pm': inDays(1, 15),
    'tomorrow at 23:59': inDays(1, 23, 59),
    'today, 4pm': inDays(0, 16),
    'Tuesday, 7am': inDays(4, 7),
    'friday, 3pm': inDays(0, 15),
    'friday, 1pm': inDays(7, 13),
    '2026-11-21T09:30:00Z': Date.parse('2026-11-21T09:30:00Z'),
    '2026-11-21t09:30+01:00': Date.parse('2026-11-21T08:30:00Z'),
  };
  for (const [text, expected] of Object.entries(times)) assert.is(read(text), expected, text);
});

test('reads a time of day correctly when the clocks change', () => {
  const { TZ } = process.env;
  process.env.TZ = 'Europe/Berlin';
  for (const [now, text, expected] of [
    ['2026-03-29T00:58Z', '2:30', '2026-03-29T01:30Z'],
    ['2026-03-29T00:58Z', 'tomorrow 2:30', '2026-03-30T00:30Z'],
    ['2026-03-29T08:00Z', '2:30am', '2026-03-30T00:30Z'],
    ['2026-03-29T08:00Z', 'sunday 2:30', '2026-04-05T00:30Z'],
    ['2026-10-25T00:20Z', '2:30', '2026-10-25T00:30Z'],
    ['2026-10-25T00:20Z', '2:10', '2026-10-25T01:10Z'],
    ['2026-10-25T01:20Z', '2:30', '2026-10-25T01:30Z'],
    ['2026-10-25T01:20Z', '2:10', '2026-10-26T01:10Z'],
    ['2026-10-25T01:20Z', '1:30', '2026-10-26T00:30Z'],
    ['2028-02-28T22:58Z', 'tomorrow 10am', '2028-02-29T09:00Z'],
  ] as const)
    assert.is(Date.parse(readDelay(text, Date.parse(now))), Date.parse(expected), `${now} ${text}`);
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

test('rejects an invalid time', () => {
  for (const text of [
    'soon',
    '',
    '-5m',
    '5 weeks ago',
    '25:00',
    '13pm',
    '0am',
    '10:60',
    'tomorrow',
    'someday, 10am',
    '2026-11-21',
    `today${' '.repeat(100)}10am`,
    '2026-99-99T00:00Z',
    '2027-02-31T10:00Z',
    '1e3s',
    '9'.repeat(400),
    `${'9'.repeat(90)}d`,
    '1m'.repeat(60),
    '99999999999999d',
  ])
    assert.throws(
      () => readDelay(text, NOW),
      (error: unknown) => error instanceof HttpError && error.status === 400,
      text,
    );
});

test.run();
