import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  findAdvice,
  adviceText,
  type DeliveryProblem,
} from '../../../../../src/screens/device-test/advice/advice';
import {
  browserName,
  guessMake,
  phoneMakeText,
  type Make,
} from '../../../../../src/shared/phone-makes';
import { ADVICE_BY_MAKE } from '../../../../../src/screens/device-test/advice/advice-by-make';

const makes = Object.keys(ADVICE_BY_MAKE) as Make[];
const PROBLEMS: DeliveryProblem[] = ['missing', 'late', 'hidden', 'silent'];
const guessAndroidMake = (model: string, browser = 'Chrome') =>
  guessMake({ model, browser, deviceType: 'android' });

test('has advice for each requested make', () => {
  assert.equal(
    makes,
    'Samsung Xiaomi Huawei OnePlus Oppo Vivo Asus Nokia Sony Android iPhone Chrome Firefox'.split(
      ' ',
    ),
  );
});

for (const problem of PROBLEMS)
  test(`has title, steps and complete setting names on ${problem} for each make`, () => {
    for (const make of makes) {
      const list = findAdvice(make, problem, 'Edge');
      assert.ok(list.length > 0, make);
      for (const { title, steps } of list) {
        assert.ok(title && steps.length > 0, make);
        for (const step of steps) {
          assert.match(step, /[.:]$/, `${make}: ${step}`);
          assert.is(step.split('*').length % 2, 1, `${make}: ${step}`);
        }
      }
    }
  });

test('puts the advice for the fault first', () => {
  const first = (problem: DeliveryProblem) => findAdvice('Samsung', problem, 'Chrome')[0]!.title;
  assert.equal(PROBLEMS.map(first), [
    'Samsung puts Fieldbell to sleep',
    'How to avoid late messages on a Samsung',
    'The phone doesn’t show Fieldbell’s notifications',
    'The sound is off',
  ]);
});

test('names only the person’s own browser', () => {
  for (const make of makes.filter((one) => one !== 'Chrome'))
    for (const problem of PROBLEMS)
      for (const { steps } of findAdvice(make, problem, 'Edge'))
        assert.not.match(steps.join(' '), /Chrome/, make);
});

for (const [make, models] of Object.entries({
  Samsung: ['SM-A047F', 'SM-S928B', 'GT-I9505', 'Samsung Galaxy A04s', ' SC-51D'],
  Xiaomi: ['Redmi Note 12', 'M2101K6G', '2201117TG', '23013RK75C', 'POCO F3', 'Mi 11', 'Xiaomi 13'],
  Huawei: ['ELE-L29', 'VOG-L29', 'ANE-LX1', 'HUAWEI P30', 'NOH-NX9', 'Honor 9'],
  OnePlus: ['ONEPLUS A6013', 'GM1913', 'LE2123', 'OnePlus 9'],
  Oppo: ['CPH2399', 'PHM110', 'OPPO A5'],
  Vivo: ['vivo 1906', 'V2109', 'I2201', 'iQOO 9'],
  Asus: ['ASUS_I006D', 'ZS660KL', 'AI2202'],
  Nokia: ['TA-1021', 'Nokia 7.2', 'HMD Pulse'],
  Sony: ['XQ-AT51', 'SO-51A', 'G8341', 'Xperia 5', 'SOG05'],
  Android: ['Pixel 8', 'moto g(60)', 'Nexus 5X', 'K', ''],
}))
  test(`recognizes ${models[0] || 'no model'} and its like as ${make}`, () => {
    assert.equal(
      models.map((model) => guessAndroidMake(model)),
      models.map(() => make),
    );
  });

test('recognizes a phone without a model by its make’s own browser', () => {
  assert.is(guessAndroidMake('', 'Samsung Internet'), 'Samsung');
});

test('recognizes iPhones and computers without a model, and names each in a word', () => {
  const known = (deviceType: 'ios' | 'web' | 'android', browser: string, model = '') =>
    phoneMakeText({ model, browser, deviceType });
  assert.equal(
    [
      known('ios', 'Safari'),
      known('web', 'Firefox'),
      known('web', 'Edge'),
      known('android', 'Chrome'),
      known('android', 'Chrome', 'SM-A047F'),
    ],
    ['iPhone', 'Desktop', 'Desktop', 'Phone', 'Samsung'],
  );
  assert.is(guessMake({ model: '', browser: 'Firefox', deviceType: 'web' }), 'Firefox');
});

test('distinguishes browsers though most call themselves Chrome and Safari', () => {
  const chrome =
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36';
  assert.equal(
    [
      chrome,
      `${chrome} SamsungBrowser/29.0`,
      `${chrome} EdgA/156.0`,
      `${chrome} OPR/90.0`,
      'Mozilla/5.0 (Android 14; Mobile; rv:153.0) Gecko/153.0 Firefox/153.0',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1',
      '',
    ].map(browserName),
    ['Chrome', 'Samsung Internet', 'Edge', 'Opera', 'Firefox', 'Safari', 'Safari'],
  );
});

test('writes advice for a chat as numbered lines without markup', () => {
  assert.is(
    adviceText({ model: 'SM-A047F', browser: 'Chrome', deviceType: 'android' }),
    [
      'Samsung puts Fieldbell to sleep:',
      '1. Open Settings, then Battery, then Background usage limits.',
      '2. Tap Never auto sleeping apps, then +.',
      '3. Choose Fieldbell and Chrome, then Add.',
      '4. In Fieldbell, open the page “Test” and test your device again.',
    ].join('\n'),
  );
});

test('recognizes no manufacturer in a nonsense model, quickly', () => {
  for (const model of ['*'.repeat(64), 'ABC-'.repeat(16), '0'.repeat(64), '<b>', '\u202e'])
    assert.is(guessAndroidMake(model), 'Android', model);
});

test.run();
