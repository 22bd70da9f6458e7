// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of built code
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareWithSource } from '../../src/build/languages/catalog.mjs';
import { extractTexts } from '../../src/build/languages/extract.mjs';
import { markTexts } from '../../src/build/languages/mark.mjs';
import { translateCode, translateForAll } from '../../src/build/languages/translate.mjs';

const test = suite('languages');

const SOURCE = `
const title = 'Sign in';
const path = 'not-a-text';
const greeting = \`Hello \${user.name}, \${unread.toLocaleString()} new\`;
const asked = \`\${count} \${count === 1 ? 'needs' : 'need'} your answer\`;
const sent = \`Sent to \${countedNoun(people.length, 'person')}.\`;
const list = names.join(', ');
const Row = () => <p><Icon name="x" /> Open <b>Settings</b> for <bdi>{name}</bdi></p>;
`;

test('reads labels, sentences, plurals as they stand, and markup as one text', () => {
  assert.equal(
    extractTexts(SOURCE, 'src/x.tsx').texts.map(({ key }) => key),
    [
      'Sign in',
      'Hello {name}, {unread} new',
      '{count} needs your answer | {count} need your answer',
      'Sent to {count} person. | Sent to {count} people.',
      'Open <b>Settings</b> for <bdi>{name}</bdi>',
    ],
  );
});

test('puts a translation in its place, in its own order and with its own plural forms', () => {
  const marked = new Map();
  // The code has the form that the build's minifier writes.
  const code = markTexts(SOURCE, 'src/x.tsx', marked)
    .replace(/\/\* @__PURE__ \*\/ /g, '')
    .replace(/, ?(?="@t)/g, ',')
    .replace(/("@t,[\w.]+@"), /g, '$1,')
    .replace(/("@t:[\w.]+@"), /g, '$1,');
  const polish: Record<string, string | Record<string, string>> = {
    'Sign in': 'Zaloguj',
    'Hello {name}, {unread} new': '{unread} nowych, {name}',
    'Sent to {count} person. | Sent to {count} people.': {
      one: 'a {count}',
      few: 'b {count}',
      many: 'c {count}',
    },
    'Open <b>Settings</b> for <bdi>{name}</bdi>': 'Dla <bdi>{name}</bdi>: <b>Ustawienia</b>',
  };
  const result = translateCode(code, marked, (key) => polish[key]);
  assert.match(result, 'const title = "Zaloguj"');
  assert.match(result, 'names.join(COMMA)');
  assert.match(result, '`${unread.toLocaleString(LOCALE)} nowych, \u2068${user.name}\u2069`');
  const number = '${(people.length).toLocaleString(LOCALE)}';
  assert.match(
    result,
    `$plural(people.length, {one:\`a ${number}\`,few:\`b ${number}\`,other:\`c ${number}\`})`,
  );
  assert.match(result, '{[" Dla ",<bdi>{name}</bdi>,": ",<b>{"Ustawienia"}</b>]}');
  assert.match(result, '{one:`${count} needs your answer`,other:`${count} need your answer`}');
});

test('chooses among the languages of one script when it runs, and is English without a translation', () => {
  const marked = new Map();
  const source =
    'const shown = (more) => [`${more} more`, more ? "You are offline" : "", "Try again"]';
  const code = markTexts(source, 'src/x.tsx', marked)
    .replace(/\/\* @__PURE__ \*\/ /g, '')
    .replace(/, ?(?="@t)/g, ',')
    .replace(/("@t:[\w.]+@"), /g, '$1,');
  const german: Record<string, string> = {
    '{more} more': 'noch {more}',
    'You are offline': 'Sie sind offline',
  };
  const languages = [{ code: 'de', lookup: (key: string) => german[key] }];
  const script = translateForAll(code, marked, languages, 'language');
  const shownIn = new Function('language', `${script}; return shown(3)`);
  assert.equal(shownIn('de'), ['noch 3', 'Sie sind offline', 'Try again']);
  assert.equal(shownIn('en'), ['3 more', 'You are offline', 'Try again']);
});

test('finds texts without a translation, other placeholders, missing forms, and texts that are gone', () => {
  const text = (key: string, isPlural = false) => ({
    key,
    area: 'app',
    file: 'src/x.tsx',
    line: 1,
    isPlural,
  });
  const { missing, faults, needless } = compareWithSource(
    [text('Send'), text('To {name}'), text('{count} day | {count} days', true)],
    'pl',
    new Map([
      ['To {name}', { file: 'app.json', translation: 'Do {nazwa}' }],
      [
        '{count} day | {count} days',
        { file: 'app.json', translation: { one: '{count} dzień', many: '{count} dni' } },
      ],
      ['Old', { file: 'app.json', translation: 'Stare' }],
    ]),
  );
  assert.equal(
    missing.map(({ key }) => key),
    ['Send'],
  );
  assert.equal(faults, [
    'src/languages/pl/app.json: "To {name}" must contain {name}, but contains {nazwa}',
    'src/languages/pl/app.json: "{count} day | {count} days" has no plural form “few”',
  ]);
  assert.equal(needless, [{ key: 'Old', file: 'app.json' }]);
});

test.run();
