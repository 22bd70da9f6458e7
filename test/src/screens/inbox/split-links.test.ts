import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { splitLinks } from '../../../../src/screens/inbox/split-links';

const test = suite('links');
const linksIn = (text: string) => splitLinks(text).filter(([, to]) => to);
/** The callable numbers in a text, with the digits to dial. */
const phoneNumbersIn = (text: string) =>
  linksIn(text).map(([written, to]) => [written, to?.replace('tel:', '')]);

test('finds phone numbers as people write them, and dials only their digits', () => {
  for (const [written, dialled] of [
    ['555-0142', '5550142'],
    ['(555) 010-4477', '5550104477'],
    ['555-010-4477', '5550104477'],
    ['555.010.4477', '5550104477'],
    ['+49 (0)30 1234-567', '+49301234567'],
    ['+33 6 12 34 56 78', '+33612345678'],
    ['030 1234567', '0301234567'],
    ['030/1234567', '0301234567'],
    ['(030) 123456', '030123456'],
    ['06 12 34 56 78', '0612345678'],
  ] as const)
    assert.equal(phoneNumbersIn(`Call ${written}, now.`), [[written, dialled]]);
});

test('leaves text without phone numbers or addresses alone', () => {
  for (const text of [
    'Gusts of 31 m/s from 14:20 at 24 kV.',
    'On 2026-11-20 or 20.11.2026 or 01/02/2026 at 06:30.',
    'From 0800-1600 every day.',
    'Meter 10012345 shows 1,234,567 or 1.234.567 kWh.',
    'The pump 192.168.1.10 is off.',
    'Order A4711-555-01423.',
    'javascript:alert(1), data:text/html,x and file:///etc are no addresses.',
    'https:// and https://[ are none either.',
    'https://bank.example@evil.example/ hides its host.',
  ])
    assert.equal(linksIn(text), [], text);
});

test('finds web addresses without the punctuation after them', () => {
  for (const [text, ...addresses] of [
    ['See https://a.example/x?y=1#z.', 'https://a.example/x?y=1#z'],
    ['(http://a.example/x), then HTTPS://B.example!', 'http://a.example/x', 'HTTPS://B.example'],
    ['https://a.example/wiki/Bell_(city)', 'https://a.example/wiki/Bell_(city)'],
    ['https://a.example/555-0142', 'https://a.example/555-0142'],
    ['<a href="https://a.example/">x</a>', 'https://a.example/'],
  ])
    assert.equal(
      linksIn(text ?? ''),
      addresses.map((one) => [one, one]),
    );
});

test('excludes neighboring numbers from a phone number', () => {
  assert.equal(phoneNumbersIn('Feeder 7 555-0142 at 8'), [['555-0142', '5550142']]);
  assert.equal(phoneNumbersIn('030 1234567 14:00'), [['030 1234567', '0301234567']]);
  assert.equal(phoneNumbersIn('555-0142\n555-0143').length, 2);
});

test('returns pieces that add up to the text', () => {
  const text = 'Call 555-0142\nor 030 1234567, see https://a.example/.';
  assert.is(
    splitLinks(text)
      .map(([piece]) => piece)
      .join(''),
    text,
  );
});

test.run();
