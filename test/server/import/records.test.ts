import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readRecords } from '../../../server/import/records';

const test = suite('records of a CSV file');

const read = (text: string, max = Infinity, separator = ',') =>
  readRecords(text, { separator, skip: 0, max });
const linesOf = async (text: string) => (await read(text)).records.map(({ line }) => line);

test('numbers a record by its first line, with any line ends and quotes', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = ['a,b', '', '"one', 'two', 'three",c', 'd', '', '', '"x",y'].join(end);
    assert.equal(await linesOf(text), [1, 3, 6, 9], JSON.stringify(end));
    assert.equal(await linesOf(text + end), [1, 3, 6, 9]);
  }
  assert.equal(await linesOf('a\r\n"b\nc\r\nd"\ne\rf'), [1, 2, 5, 6], 'all of them in one file');
});

test('returns cells as written, wherever the file is sliced', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 30,
      }),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (rows, end) => {
        // A long cell first, so that slices end anywhere.
        const allRows = [['ä'.repeat(4_090)], ...rows];
        const text = allRows
          .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
          .join(end);
        let line = 1;
        const expected = allRows.flatMap((cells) => {
          const startLine = line;
          line += 1 + (cells.join('').match(/\r\n|\n|\r/g)?.length ?? 0);
          return cells.some((cell) => cell.trim() !== '') ? [{ line: startLine, cells }] : [];
        });
        assert.equal((await read(text)).records, expected);
      },
    ),
    { numRuns: 10 },
  ));

test('names the line of an unclosed quote, and keeps the records before', async () => {
  assert.equal(await read('a\nb\n\nc,"d\ne\n'), {
    records: [
      { line: 1, cells: ['a'] },
      { line: 2, cells: ['b'] },
    ],
    openAt: 4,
  });
  const { openAt } = await read(`a\n"${'x\n'.repeat(66_000)}`);
  assert.is(openAt, 2, 'however much it swallows');
});

test('keeps misplaced quotes in their cells', async () => {
  const { records } = await read('5" pipe,"a"b,c\nd');
  assert.equal(records, [
    { line: 1, cells: ['5" pipe', '"a"b', 'c'] },
    { line: 2, cells: ['d'] },
  ]);
});

test('reads no more records than requested', async () => {
  const { records } = await read('a\n'.repeat(10_000), 3);
  assert.is(records.length, 3);
});

test.run();
