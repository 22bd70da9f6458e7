import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { QuietRule } from '../../../src/shared/contract';
import { isTimeZone, coversWholeWeek, quietUntil } from '../../../src/shared/quiet-hours';
import { shownIn, quietUntilByMinutes } from './quiet-hours-model';

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const nights: QuietRule[] = [{ days: EVERY_DAY, from: '22:00', to: '06:00' }];
const daily = (from: string, to: string): QuietRule[] => [{ days: EVERY_DAY, from, to }];
/** The end of the quiet, such as `2026-03-29T01:30:00Z`, or undefined outside quiet hours. */
function endOf(timeZone: string, rules: QuietRule[], at: string): string | undefined {
  const until = quietUntil({ timeZone, rules }, Date.parse(at));
  return until === undefined ? undefined : new Date(until).toISOString().replace('.000', '');
}

test('keeps yesterday’s all-day quiet west of Greenwich after UTC midnight', () => {
  const ofSunday: QuietRule[] = [{ days: [7], from: '22:00', to: '22:00' }];
  // Sunday, 22 November 2026, 22:00 in New York is Monday 03:00 in UTC.
  const monday = '2026-11-24T02:00:00Z';
  assert.is(endOf('America/New_York', ofSunday, monday), '2026-11-24T03:00:00Z');
});

// Begin and end of quiet in the night of each change and an ordinary one.
for (const [zone, night, begins, ends] of [
  ['Europe/Berlin', 'the clocks go forward', '2026-03-28T21:00:00Z', '2026-03-29T04:00:00Z'],
  ['Europe/Berlin', 'the clocks go back', '2026-10-24T20:00:00Z', '2026-10-25T05:00:00Z'],
  ['America/New_York', 'the clocks go forward', '2026-03-08T03:00:00Z', '2026-03-08T10:00:00Z'],
  ['America/New_York', 'the clocks go back', '2026-11-01T02:00:00Z', '2026-11-01T11:00:00Z'],
  [
    'Australia/Lord_Howe',
    'the clocks go forward by half an hour',
    '2026-10-03T11:30:00Z',
    '2026-10-03T19:00:00Z',
  ],
  [
    'Australia/Lord_Howe',
    'the clocks go back by half an hour',
    '2026-04-04T11:00:00Z',
    '2026-04-04T19:30:00Z',
  ],
  ['Asia/Kathmandu', 'nothing changes', '2026-03-28T16:15:00Z', '2026-03-29T00:15:00Z'],
] as const)
  test(`holds 22:00 to 06:00 in ${zone} while ${night}`, () => {
    const [first, last] = [Date.parse(begins), Date.parse(ends)];
    const until = (at: number) => quietUntil({ timeZone: zone, rules: nights }, at);
    assert.equal([first - 1, first, first + 1, last - 1].map(until), [undefined, last, last, last]);
    assert.is(until(last), undefined, 'not a millisecond more');
    assert.equal(
      [shownIn(zone, first), shownIn(zone, last)].map((at) => at.slice(11)),
      ['22:00', '06:00'],
    );
  });

test('moves a skipped time by the clock change', () => {
  const berlin = (from: string, to: string, at: string) =>
    endOf('Europe/Berlin', daily(from, to), at);
  // 02:00 becomes 03:00 at 01:00 UTC: 02:30 is 03:30.
  assert.is(berlin('01:00', '02:30', '2026-03-29T01:29:00Z'), '2026-03-29T01:30:00Z');
  assert.is(berlin('02:30', '05:00', '2026-03-29T01:29:00Z'), undefined);
  assert.is(berlin('02:30', '05:00', '2026-03-29T01:30:00Z'), '2026-03-29T03:00:00Z');
  // 03:30 to 03:10 is empty.
  assert.is(berlin('02:30', '03:10', '2026-03-29T01:15:00Z'), undefined);
  assert.is(
    endOf('Australia/Lord_Howe', daily('01:00', '02:15'), '2026-10-03T15:40:00Z'),
    '2026-10-03T15:45:00Z',
    '02:00 becomes 02:30 at 15:30 UTC: 02:15 is 02:45',
  );
  assert.is(
    endOf('Africa/Cairo', daily('00:00', '06:00'), '2026-04-23T22:00:00Z'),
    '2026-04-24T03:00:00Z',
    'a day that begins at 01:00',
  );
});

test('uses the first of a repeated time', () => {
  const berlin = (from: string, to: string, at: string) =>
    endOf('Europe/Berlin', daily(from, to), at);
  // 03:00 becomes 02:00 at 01:00 UTC.
  assert.is(berlin('01:00', '02:30', '2026-10-25T00:29:00Z'), '2026-10-25T00:30:00Z');
  assert.is(berlin('01:00', '02:30', '2026-10-25T01:10:00Z'), undefined, 'the second 02:10');
  assert.is(berlin('02:30', '05:00', '2026-10-25T00:30:00Z'), '2026-10-25T04:00:00Z');
});

test('treats equal times as a whole day, however long', () => {
  const sunday: QuietRule[] = [{ days: [7], from: '00:00', to: '00:00' }];
  const hours = (day: string) => {
    const at = Date.parse(`${day}T12:00:00Z`);
    const until = quietUntil({ timeZone: 'Europe/Berlin', rules: sunday }, at)!;
    let from = at;
    while (quietUntil({ timeZone: 'Europe/Berlin', rules: sunday }, from - 1)) from -= 60_000;
    return (until - from) / 3600_000;
  };
  assert.equal(['2026-03-22', '2026-03-29', '2026-10-25'].map(hours), [24, 23, 25]);
  const lunch: QuietRule[] = [{ days: [3], from: '12:00', to: '12:00' }];
  assert.is(endOf('UTC', lunch, '2026-11-26T11:59:59Z'), '2026-11-26T12:00:00Z');
  assert.is(endOf('UTC', lunch, '2026-11-25T11:59:59Z'), undefined);
});

test('joins touching or overlapping windows in any order', () => {
  const rules: QuietRule[] = [
    { days: [7], from: '00:00', to: '09:00' },
    { days: [6], from: '12:00', to: '20:00' },
    { days: [6], from: '18:00', to: '00:00' },
    { days: [7], from: '09:01', to: '10:00' },
  ];
  assert.is(endOf('UTC', rules, '2026-11-21T12:00:00Z'), '2026-11-22T09:00:00Z');
  assert.is(endOf('UTC', [...rules].reverse(), '2026-11-21T12:00:00Z'), '2026-11-22T09:00:00Z');
  assert.is(endOf('UTC', rules, '2026-11-22T09:00:30Z'), undefined);
  // A long one that contains a short one.
  const within = [...daily('08:00', '18:00'), ...daily('09:00', '10:00')];
  assert.is(endOf('UTC', within, '2026-11-22T09:30:00Z'), '2026-11-22T18:00:00Z');
});

test('assigns a window over midnight to its first day, over week and year ends', () => {
  const sundays: QuietRule[] = [{ days: [7], from: '22:00', to: '06:00' }];
  assert.is(endOf('UTC', sundays, '2026-11-22T22:00:00Z'), '2026-11-23T06:00:00Z');
  assert.is(endOf('UTC', sundays, '2026-11-23T05:59:00Z'), '2026-11-23T06:00:00Z');
  assert.is(endOf('UTC', sundays, '2026-11-22T05:00:00Z'), undefined, 'the night before it');
  assert.is(endOf('Asia/Tokyo', nights, '2026-12-31T20:00:00Z'), '2026-12-31T21:00:00Z');
  assert.is(endOf('America/New_York', nights, '2027-01-01T04:00:00Z'), '2027-01-01T11:00:00Z');
  assert.is(endOf('UTC', nights, '2028-02-28T23:00:00Z'), '2028-02-29T06:00:00Z');
});

test('is never quiet without rules or in an unknown time zone', () => {
  assert.is(endOf('UTC', [], '2026-11-22T23:00:00Z'), undefined);
  for (const zone of ['', 'Mars/Olympus', 'Europe/Berlin ', 'undefined', '\0', '../UTC']) {
    assert.not(isTimeZone(zone), zone);
    assert.is(endOf(zone, nights, '2026-11-22T23:00:00Z'), undefined);
  }
  assert.ok(['UTC', 'Asia/Kathmandu', 'Australia/Lord_Howe'].every(isTimeZone));
});

test('never ends for rules without a pause, and stops looking', () => {
  const half = (days: number[]) => [
    { days, from: '00:00', to: '12:00' },
    { days, from: '12:00', to: '00:00' },
  ];
  assert.ok(coversWholeWeek(daily('08:00', '08:00')));
  assert.ok(coversWholeWeek(half(EVERY_DAY)));
  assert.ok(coversWholeWeek([...daily('06:00', '22:30'), ...daily('22:00', '06:01')]));
  for (const rules of [
    [],
    nights,
    half([1, 2, 3, 4, 5, 6]),
    [...daily('06:01', '22:00'), ...daily('22:00', '06:00')],
    [{ days: [1, 2, 3, 4, 5, 6], from: '08:00', to: '08:00' }],
  ])
    assert.not(coversWholeWeek(rules), JSON.stringify(rules));
  const until = quietUntil({ timeZone: 'UTC', rules: daily('08:00', '08:00') }, 0)!;
  assert.ok(until > 20 * 86_400_000 && until < 30 * 86_400_000);
});

test('ignores a pause inside a skipped hour, quiet for two weeks', () => {
  const rules: QuietRule[] = [
    { days: [1, 2, 3, 4, 5, 6], from: '00:00', to: '00:00' },
    { days: [7], from: '00:00', to: '02:00' },
    { days: [7], from: '03:00', to: '00:00' },
  ];
  assert.not(coversWholeWeek(rules));
  assert.is(endOf('Europe/Berlin', rules, '2026-03-23T12:00:00Z'), '2026-04-05T00:00:00Z');
});

test('skips a day that the clocks skip', () => {
  // Samoa skipped Friday, 30 December 2011.
  const fridays: QuietRule[] = [{ days: [5], from: '10:00', to: '12:00' }];
  const apia = (at: string) => endOf('Pacific/Apia', fridays, at);
  assert.is(apia('2011-12-30T20:30:00Z'), '2011-12-30T22:00:00Z', 'a whole day after the change');
  assert.is(apia('2011-12-29T20:30:00Z'), undefined);
});

test('reads a zone’s clocks once, and limits the cache', () => {
  const { DateTimeFormat } = Intl;
  let createdCount = 0;
  const ask = (zones: string[]) => {
    createdCount = 0;
    for (const zone of zones) endOf(zone, nights, '2026-06-01T00:30:00Z');
    return createdCount;
  };
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct: (target, given) => (createdCount++, Reflect.construct(target, given)),
  });
  try {
    const all = Intl.supportedValuesOf('timeZone');
    ask(all.slice(60, 120)); // fills the cache
    const zones = all.slice(0, 60);
    assert.is(ask(zones), 60);
    assert.is(ask(zones.slice(-50)), 0);
    assert.is(ask(zones), 60, 'old ones were dropped');
  } finally {
    Intl.DateTimeFormat = DateTimeFormat;
  }
});

test('reads a zone’s time once, and forgets old ones', () => {
  const { DateTimeFormat } = Intl;
  let callCount = 0;
  const counting = (format: Intl.DateTimeFormat) => ({
    format: (at: number) => ((callCount += 1), format.format(at)),
  });
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct: (target, given) =>
      counting(Reflect.construct(target, given) as Intl.DateTimeFormat) as object,
  });
  try {
    for (const zone of Intl.supportedValuesOf('timeZone').slice(0, 60)) isTimeZone(zone);
    const ask = (day: number) => {
      callCount = 0;
      quietUntil({ timeZone: 'America/Lima', rules: nights }, day * 86_400_000);
      return callCount;
    };
    assert.equal([ask(0) > 0, ask(0)], [true, 0]);
    for (let day = 10; day < 800; day += 1) ask(day);
    assert.ok(ask(0) > 0);
  } finally {
    for (const zone of Intl.supportedValuesOf('timeZone').slice(60, 120)) isTimeZone(zone);
    Intl.DateTimeFormat = DateTimeFormat;
  }
});

test('distinguishes more zones than are cached', () => {
  // Each takes 2 ms, so a sample is enough.
  const zones = Intl.supportedValuesOf('timeZone').filter((_, index) => index % 5 === 0);
  const read = () => zones.map((zone) => endOf(zone, nights, '2026-06-01T00:30:00Z'));
  const first = read();
  assert.ok(zones.length > 60 && new Set(first).size > 5);
  assert.equal(read(), first);
});

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 15, 29, 30, 31, 45, 59))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const rule = fc.record({
  days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
  from: time,
  to: time,
});
const PLACES = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['Asia/Kathmandu', '2026-12-31'],
] as const;

test('agrees with a minute-by-minute model around every change', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PLACES),
      fc.array(rule, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: -36 * 60, max: 36 * 60 }),
      ([timeZone, day], rules, minute) => {
        const at = Date.parse(day) + minute * 60_000;
        const expected = quietUntilByMinutes(timeZone, day, rules, at);
        fc.pre(expected !== 'beyond');
        assert.is(
          endOf(timeZone, rules, new Date(at).toISOString()),
          expected && new Date(expected).toISOString().replace('.000', ''),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test.run();
