import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { slowRegexFaults } from './slow-regexes.mjs';

const test = suite('patterns');

/** Stands for recheck, which `npm test` does not install. */
const judge = (pattern: string) =>
  pattern.includes('?=')
    ? { status: 'unknown' }
    : pattern.endsWith('+$')
      ? { status: 'vulnerable', complexity: { summary: '2nd degree polynomial' } }
      : { status: 'safe' };

test('reports each pattern that is not linear, with its line', () => {
  const source = [
    'const linear = /^a+/;',
    'const Element = () => <p>{text.replace(/ +$/g, "")}</p>;',
    'const undecided = /a(?=b)/;',
    'const made: RegExp = new RegExp(linear.source);',
  ].join('\n');
  assert.equal(
    slowRegexFaults(['src/a.tsx'], judge, () => source),
    [
      'src/a.tsx:2: / +$/g is 2nd degree polynomial',
      'src/a.tsx:3: /a(?=b)/ cannot be judged: name it in MEASURED, with its worst input',
      'src/a.tsx:4: write the pattern as a literal, or name the file in MADE',
    ],
  );
});

test.run();
