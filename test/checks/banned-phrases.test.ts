import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeFault, phraseFaults } from './banned-phrases.mjs';

const test = suite('banned phrases');

const faultsIn = (file: string, ...lines: string[]) =>
  phraseFaults([file], () => lines.join('\n')).map(describeFault);

test('finds banned words in strings, comments, test names and documents', () => {
  const source = faultsIn(
    'src/A.tsx',
    '/** Whoever reads it,',
    ' * of which nobody',
    ' * is told. */',
    "const nobody = ['Nobody', 'nobody'];",
    `const more = \`\${nobody}: rings again\`; // so many`,
    'const A = () => <p title="An e-mail">Is told</p>;',
    "test('sends it anew', () => {});",
  );
  assert.equal(
    source.map((fault) => fault.replace(/: write .*/, '')),
    [
      'src/A.tsx:1: “Whoever”',
      'src/A.tsx:2: “of which”',
      'src/A.tsx:2: “nobody”',
      'src/A.tsx:3: “is told”',
      'src/A.tsx:4: “Nobody”',
      'src/A.tsx:5: “rings again”',
      'src/A.tsx:5: “so many”',
      'src/A.tsx:6: “e-mail”',
      'src/A.tsx:6: “Is told”',
      'src/A.tsx:7: “anew”',
    ],
  );
  assert.equal(faultsIn('README.md', '# Mails', 'Your e-mail.'), [
    'README.md:2: “e-mail”: write email',
  ]);
});

test('allows sentences of the specification, and a line with a reason', () => {
  assert.equal(faultsIn('src/a.ts', "say('Password reset! You can now log in.');"), []);
  assert.equal(
    faultsIn('src/a.ts', '// banned-phrases: a header of RFC 5322', "say('E-mail');"),
    [],
  );
  assert.equal(
    faultsIn('a.md', '<!-- banned-phrases: of a peer --> Whoever', 'Whoever', 'Nobody').length,
    1,
  );
  assert.equal(
    faultsIn(
      'test/specification.md',
      '| S2.5 | verify an e-mail on load | app: nobody |',
      '| S10.5 | nobody | app: nobody |',
    ),
    ['test/specification.md:2: “nobody”: write no one, or who it is'],
  );
});

test.run();
