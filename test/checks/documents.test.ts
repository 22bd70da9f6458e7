import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  citationFaults,
  claimFaults,
  listComments,
  qualityFaults,
  specificationFaults,
} from './documents.mjs';

const test = suite('documents');

const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
const BAR_COUNTS = { A: 44, B: 26, C: 10, D: 12, F: 19 };
const bars = () => [
  ...Object.entries(BAR_COUNTS).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => [`${letter}${index + 1}`, 'It holds.', NAMED_TEST]),
  ),
  ['E', 'It holds.', NAMED_TEST],
];
const NAMED_TEST = '`test/a.test.ts`: "it … well"';
const requirements = () => [
  ['S1.1', 'It works', 'a: it works'],
  ['S1.2', 'It is quick', "a: it's quick"],
];

async function repository(
  t: { requirements?: string[][]; bars?: string[][]; files?: Record<string, string> } = {},
) {
  const root = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-documents-'));
  const files: Record<string, string> = {
    'README.md': '# Here',
    'test/a.test.ts': "test('it works well', f); test('it\\'s quick', f);",
    'test/specification.md': [
      row('name', 'file'),
      row('a', '`test/a.test.ts`'),
      ...(t.requirements ?? requirements()).map((cells) => row(...cells)),
    ].join('\n'),
    'test/quality.md': (t.bars ?? bars()).map((cells) => row(...cells)).join('\n'),
    ...t.files,
  };
  for (const [file, text] of Object.entries(files)) {
    await fs.mkdir(path.dirname(`${root}/${file}`), { recursive: true });
    await fs.writeFile(`${root}/${file}`, text);
  }
  return root;
}
const roots: string[] = [];
async function found(
  check: (root: string) => Promise<string[]>,
  t?: Parameters<typeof repository>[0],
): Promise<string[]> {
  const root = await repository(t);
  roots.push(root);
  return check(root);
}
test.after(async () => {
  for (const root of roots) await fs.rm(root, { recursive: true });
});

test('passes when all requirements and bars have tests', async () => {
  assert.equal(await found(specificationFaults), []);
  assert.equal(await found(qualityFaults), []);
  assert.equal(await found(citationFaults), []);
});

test('fails on a requirement without a test, or with one that does not exist', async () => {
  const faults = await found(specificationFaults, {
    requirements: [
      ...requirements(),
      ['S1.3', 'It is safe', ''],
      ['S2.1', 'It is', 'a: it is not'],
    ],
  });
  assert.equal(faults, ['S1.3 has no test', 'S2.1: no such test: a: it is not']);
});

test('fails on a requirement whose test file is not listed or does not exist', async () => {
  const faults = await found(specificationFaults, {
    requirements: [['S1.1', 'It works', 'b: it works']],
  });
  assert.equal(faults, ['S1.1: no such test: b: it works']);
  const gone = await found(specificationFaults, { files: { 'test/a.test.ts': '' } });
  assert.is(gone.length, 2);
});

test('fails on a number used twice, for requirements and bars', async () => {
  const again = [...requirements(), ['S1.2', 'Something else', 'a: it works']];
  assert.equal(await found(specificationFaults, { requirements: again }), ['S1.2 is used twice']);
  const twice = [...bars(), ['A7', 'Something else.', NAMED_TEST]];
  assert.equal(await found(qualityFaults, { bars: twice }), ['A7 is used twice']);
});

test('fails on a bar that is missing, has no test, or names one that does not exist', async () => {
  const changed = bars()
    .filter(([number]) => number !== 'F19')
    .map(([number, demand, held]) => [
      number,
      demand,
      { A1: '', A2: '`test/a.test.ts`: "it rains"', A3: '`test/gone.test.ts`', A4: 'As A5' }[
        number
      ] ?? held,
    ]);
  assert.equal(await found(qualityFaults, { bars: changed }), [
    'F19 is missing',
    'A1 has no test',
    'test/gone.test.ts does not exist',
    'A2: no such test in test/a.test.ts: “it rains”',
  ]);
});

test('fails on a claim that its document no longer has, without a test, or with one that does not exist', async () => {
  const claims = [
    ['README.md', 'It works … nights.', 'by hand on 2026-11-28'],
    ['README.md', 'It flies.', NAMED_TEST],
    ['README.md', 'It works', 'certainly'],
    ['README.md', 'It works', '`test/gone.test.ts`; `test/a.test.ts`: "it rains"'],
    ['server/gone.md', 'It works', NAMED_TEST],
  ];
  const files = {
    'README.md': 'It works on days\nand nights.',
    'test/claims.md': claims.map((cells) => row(...cells)).join('\n'),
  };
  assert.equal(await found(claimFaults, { files }), [
    'README.md does not claim “It flies.”',
    'README.md: “It works” has no test',
    'server/gone.md does not exist',
    'test/gone.test.ts does not exist',
    'README.md: no such test in test/a.test.ts: “it rains”',
  ]);
});

test('fails on a comment that cites an unknown number or document, in every folder', async () => {
  const slashes = '/'.repeat(2); // otherwise the fixture would be a comment of this file
  const text = [
    '/** Holds S1.1 and A7 (S9.99). */',
    `const x = 1; ${slashes} see facts.md`,
    `${slashes} B77, README.md`,
  ].join('\n');
  const files = ['src/a.ts', 'sw/b.ts', 'server/c/d.ts', 'test/e.mjs', 'build.mjs'];
  const faults = await found(citationFaults, {
    files: Object.fromEntries(files.map((file) => [file, text])),
  });
  assert.equal(
    faults,
    files.flatMap((file) => [
      `${file}:1 cites S9.99, which does not exist`,
      `${file}:2 names facts.md, which does not exist`,
      `${file}:3 cites B77, which does not exist`,
    ]),
  );
});

test('fails on a comment that cites a section instead of a number', async () => {
  const files = { 'src/a.ts': '/** Ten rows (specification, section 9). */' };
  assert.equal(await found(citationFaults, { files }), [
    'src/a.ts:1 cites “specification, section 9”: cite its number',
  ]);
});

test('looks for citations in comments only, not in code', async () => {
  const code = "const bars = ['A99', 'S9.99']; // P-256, U+A0B1, %E0%A4, A11y, 0xF00\n";
  assert.equal(await found(citationFaults, { files: { 'src/a.ts': code } }), []);
});

test('finds comments after code, over several lines, and in markup', () => {
  const source = "f('http://a'); // one\n/*\n * two\n */\ng();\n  {/* three */}\nh();";
  assert.equal(
    listComments(source).map(({ line }) => line),
    [1, 2, 3, 4, 6],
  );
});

test.run();
