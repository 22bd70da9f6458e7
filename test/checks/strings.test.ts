import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { extractStrings } from './strings.mjs';

const test = suite('strings');

test('lists what people see: markup, labels, sentences, descriptions; log events apart', () => {
  const source = [
    "import a from './not a string';",
    'const Row = ({ on, name }) => (',
    '  <tr className="not shown" title="Row title">',
    '    Hello {name}, <b>welcome</b> {on ? "on" : "off"}',
    '  </tr>',
    ');',
    "const field = described(v.string(), 'What it is.', 'not a label');",
    `const answer = { kind: kind === 'not a kind' ? 'Sent' : \`\${count} people\` };`,
    "log.warn('mail not sent', { to });",
    'const rows = sql`select 1 as one`;',
  ].join('\n');
  assert.equal(
    extractStrings(source).map(
      ({ line, text, isLog }) => `${line} ${text}${isLog ? ' (log)' : ''}`,
    ),
    [
      '3 Hello {name}, <b>welcome</b> {on/off}',
      '3 Row title',
      '7 What it is.',
      '8 Sent',
      '8 {count} people',
      '9 mail not sent (log)',
    ],
  );
});

test.run();
