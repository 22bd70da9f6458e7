import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backoff, readRetryAfter } from '../../../server/lib/backoff';
import { ttlSeconds } from '../../../server/delivery/transport';
import { createPayloadCutter } from '../../../server/delivery/payload';

const test = suite('payload and backoff');

const data = {
  title: 'Outages',
  body: 'short',
  topicId: '7',
  messageId: 'm',
  link: '/messages/m',
  sentAt: '2026-11-21T09:30:00.000Z',
  priority: 'urgent' as const,
  answers: '["Got it","On my way"]',
  url: 'https://maps.example/feeder-12',
  expiresAt: '2026-11-22T09:30:00.000Z',
  seq: '12',
  unread: '3',
  round: '0',
};
const MAX_PAYLOAD_BYTES = 3993;
const cutPayload = (change: Partial<typeof data>) =>
  createPayloadCutter(MAX_PAYLOAD_BYTES, JSON.stringify)({ ...data, ...change });

test('sends a fitting text unchanged', () => {
  assert.equal(cutPayload({}), data);
});

test('cuts a long text with an ellipsis, close to the limit', () => {
  const cut = cutPayload({ body: 'x'.repeat(10_000) });
  assert.match(cut.body, /^x+…$/);
  const spare = MAX_PAYLOAD_BYTES - Buffer.byteLength(JSON.stringify(cut));
  assert.ok(spare >= 0 && spare < 100, `${spare} bytes are left`);
});

test('never cuts through an emoji or an accented letter', () => {
  for (const character of ['👩🏽‍🚒', '👨‍👩‍👧‍👦', 'e\u0301', '🇩🇪', '"']) {
    const { body } = cutPayload({ body: character.repeat(6000) });
    assert.ok(body.endsWith('…'));
    assert.is(body.slice(0, -1).replaceAll(character, ''), '', character);
    assert.ok(Buffer.byteLength(JSON.stringify({ ...data, body })) <= MAX_PAYLOAD_BYTES);
  }
});

test('cuts an endless title to leave room for the text', () => {
  const cut = cutPayload({ title: 'T'.repeat(9000), body: 'the news' });
  assert.is(cut.title, `${'T'.repeat(200)}…`);
  assert.is(cut.body, 'the news');
});

test("drops the sender's link before it cuts the text", () => {
  const body = 'x'.repeat(3000);
  const cut = cutPayload({ body, url: `https://maps.example/${'a'.repeat(1900)}` });
  assert.equal([cut.url, cut.body], ['', body]);
});

test('keeps ids, times and answers whole, whatever is too long', () => {
  const answers = JSON.stringify(Array.from({ length: 3 }, () => '\u0001'.repeat(24)));
  const url = `https://maps.example/${'ü'.repeat(900)}`;
  for (const change of [{}, { title: '👷'.repeat(5000) }, { body: '\u0001'.repeat(9000) }]) {
    const whole = { ...data, answers, url, seq: '9007199254740991', body: 'x'.repeat(5000) };
    const small = createPayloadCutter(3072, JSON.stringify);
    const cut = small({ ...whole, ...change });
    assert.ok(Buffer.byteLength(JSON.stringify(cut)) <= 3072);
    const { title: _, body: __, url: ___, ...rest } = cut;
    const { title: _1, body: _2, url: _3, ...expected } = whole;
    assert.equal(rest, expected);
  }
});

test('leaves room for the ids of withdrawn messages, which differ by person', () => {
  const small = createPayloadCutter(1024, JSON.stringify);
  const long = { ...data, body: 'x'.repeat(5000) };
  small(long);
  const closes = Array.from({ length: 3 }, () => 'i'.repeat(36)).join();
  assert.ok(Buffer.byteLength(JSON.stringify(small({ ...long, closes }))) <= 1024);
});

test('never repeats the text of the previous message', () => {
  const fitOne = createPayloadCutter(MAX_PAYLOAD_BYTES, JSON.stringify);
  assert.is(fitOne({ ...data, messageId: '1', body: 'first' }).body, 'first');
  assert.is(fitOne({ ...data, messageId: '2', body: 'second' }).body, 'second');
});

test('doubles the backoff up to 15 minutes, and spreads it over its upper half', () => {
  assert.equal(
    [1, 2, 3, 4].map((attempts) => backoff(attempts, () => 1)),
    [5000, 10_000, 20_000, 40_000],
  );
  assert.is(
    backoff(3, () => 0),
    10_000,
  );
  assert.is(
    backoff(5000, () => 1),
    15 * 60_000,
  );
});

test('reads Retry-After in seconds and as a date, up to six hours', () => {
  const now = Date.parse('2026-11-21T09:30:00Z');
  assert.is(readRetryAfter('120', now), now + 120_000);
  assert.is(readRetryAfter('Sat, 21 Nov 2026 09:31:00 GMT', now), now + 60_000);
  assert.is(readRetryAfter('999999999', now), now + 6 * 3600_000);
  for (const useless of [undefined, '', '0', '-5', 'soon', 'Sat, 21 Nov 2026 09:29:00 GMT']) {
    assert.is(readRetryAfter(useless, now), undefined, String(useless));
  }
});

test('sets the TTL to the remaining lifetime, from 1 s to four weeks', () => {
  assert.is(ttlSeconds(90_500, 30_000), 61);
  assert.is(ttlSeconds(30_000, 30_000), 1);
  assert.is(ttlSeconds(1e15, 0), 28 * 24 * 3600);
});

test.run();
