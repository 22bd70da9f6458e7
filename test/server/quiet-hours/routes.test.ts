import * as assert from 'uvu/assert';
import type { QuietHours, QuietRule } from '../../../src/shared/contract';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('quiet hours');
const READ_CALL = 'GET /api/notifications/quiet-hours';
const SAVE_CALL = 'PUT /api/notifications/quiet-hours';
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const nights: QuietHours = {
  timeZone: 'Europe/Berlin',
  rules: [{ days: EVERY_DAY, from: '22:00', to: '06:00' }],
};
/** 20:00 in Berlin, on a Sunday. */
const EVENING = Date.parse('2026-11-22T19:00:00Z');
const HOUR_MS = 3600_000;

let person: Person;
test.before.each(async () => {
  server.clock.now = EVENING;
  person = await server.createPerson('TECHNICIAN');
});
const read = async (as = person) => (await server.call(READ_CALL, { as })).body;
const save = (body: unknown) => server.call(SAVE_CALL, { as: person, body: body as QuietHours });

test('returns no quiet hours in UTC by default', async () => {
  assert.equal(await read(), { timeZone: 'UTC', rules: [], quietUntil: null, waiting: 0 });
});

test('returns saved quiet hours, with the end of the current ones', async () => {
  const savedResponse = await save(nights);
  assert.equal(
    [savedResponse.status, savedResponse.body],
    [200, { ...nights, quietUntil: null, waiting: 0 }],
  );
  server.clock.now += 2 * HOUR_MS;
  assert.equal(await read(), { ...nights, quietUntil: '2026-11-23T05:00:00.000Z', waiting: 0 });
  const otherPerson = await server.createPerson('ADMIN');
  assert.equal((await read(otherPerson)).rules, [], 'everyone has their own');
  const later: QuietHours = { ...nights, rules: [{ days: [7], from: '21:00', to: '23:30' }] };
  assert.is((await save(later)).body.quietUntil, '2026-11-22T22:30:00.000Z');
  assert.equal((await save({ timeZone: 'Asia/Kathmandu', rules: [] })).body, {
    timeZone: 'UTC',
    rules: [],
    quietUntil: null,
    waiting: 0,
  });
});

test('keeps the chosen zone name, and drops unknown fields', async () => {
  for (const timeZone of ['Asia/Kathmandu', 'Asia/Katmandu', 'UTC', 'Etc/GMT+5'])
    assert.is((await save({ ...nights, timeZone, more: 1 })).body.timeZone, timeZone);
  const rules = [{ ...nights.rules[0], more: 1 }];
  assert.equal((await save({ ...nights, rules })).body.rules, nights.rules);
});

const rule = (change: object): unknown => ({
  ...nights,
  rules: [{ ...nights.rules[0], ...change }],
});
const daily = (from: string, to: string): QuietRule => ({ days: EVERY_DAY, from, to });
for (const [caseName, body, sentence] of [
  ['an unknown zone', { ...nights, timeZone: 'Mars/Olympus' }, /must be an IANA name/],
  ['an offset for a zone', { ...nights, timeZone: '+01:00' }, /must be an IANA name/],
  ['an empty zone', { ...nights, timeZone: '' }, /must be an IANA name/],
  ['a NUL in a zone', { ...nights, timeZone: 'UTC\0' }, /not allowed/],
  ['a zone without an end', { ...nights, timeZone: 'U'.repeat(65) }, /64 characters or fewer/],
  ['a zone that is no text', { ...nights, timeZone: 5 }, /./],
  ['a rule on no day', rule({ days: [] }), /Choose at least one day/],
  ['a day twice', rule({ days: [1, 1] }), /must be numbers from 1 .* each at most once/],
  ['the day 0', rule({ days: [0] }), /from 1 \(Monday\)/],
  ['the day 8', rule({ days: [8] }), /from 1 \(Monday\)/],
  ['half a day', rule({ days: [1.5] }), /from 1 \(Monday\)/],
  ['eight days', rule({ days: [...EVERY_DAY, 1] }), /must be numbers from 1 .* each at most once/],
  ['24:00', rule({ to: '24:00' }), /^To must be a time from 00:00 to 23:59/],
  ['a time of one digit', rule({ from: '7:00' }), /^From must be a time from 00:00 to 23:59/],
  ['a minute 60', rule({ from: '07:60' }), /^From must be/],
  ['seconds', rule({ from: '07:00:00' }), /^From must be/],
  ['a line end behind a time', rule({ from: '07:00\n' }), /^From must be/],
  ['15 rules', { ...nights, rules: Array(15).fill(daily('01:00', '02:00')) }, /At most 14 rules/],
  ['a whole week', { ...nights, rules: [daily('08:00', '08:00')] }, /never end. Leave a gap/],
  [
    'a week of several rules',
    { ...nights, rules: [daily('06:00', '22:00'), daily('22:00', '06:00')] },
    /never end. Leave a gap/,
  ],
  ['no rules at all', { timeZone: 'UTC' }, /./],
] as const)
  test(`rejects ${caseName} with a sentence, and saves nothing`, async () => {
    await save({ ...nights, timeZone: 'UTC' });
    const { status, error } = await save(body);
    assert.is(status, 400);
    const [issue] = error as { message: string; path?: string }[];
    assert.match(issue!.message, sentence);
    assert.is((await read()).timeZone, 'UTC');
  });

test('keeps 14 rules', async () => {
  const rules = Array.from({ length: 14 }, (_, hour) =>
    daily(`${String(hour + 8).padStart(2, '0')}:00`, `${String(hour + 8).padStart(2, '0')}:30`),
  );
  assert.equal((await save({ ...nights, rules })).body.rules, rules);
});

test.run();
