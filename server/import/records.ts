import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { yieldToEventLoop } from '../lib/loop';
import { HttpError } from '../http/errors';

export interface FileRecord {
  line: number;
  cells: string[];
}

/** Empty lines count, too: spreadsheets save them below a table. */
const MAX_RECORDS = 100_000;
const SLICE_BYTES = 8 * 1024;
/** Bytes of the first line: spreadsheets save thousands of empty columns. */
const MAX_FIRST_LINE_BYTES = 128 * 1024;
const [LF, CR] = [10, 13];

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index += 1)
    if (bytes[index] === LF || (bytes[index] === CR && bytes[index + 1] !== LF)) count += 1;
  return count;
}

/**
 * Misplaced quotes stay in their cells.
 * @returns `openAt`: the line of a quote never closed
 */
export async function readRecords(
  text: string,
  { separator, skip, max }: { separator: string; skip: number; max: number },
): Promise<{ records: FileRecord[]; openAt: number | undefined }> {
  const records: FileRecord[] = [];
  const skippedText = text.slice(0, skip);
  const bytes = Buffer.from(text.slice(skip));
  let line = 1 + countLines(Buffer.from(skippedText));
  let begin = 0;
  let count = 0;
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: 0, // an unclosed quote may swallow the rest
    on_record: (cells, { bytes: end }) => {
      count += 1;
      if (count > MAX_RECORDS) throw new HttpError(400, TOO_LONG);
      if (cells.some((cell) => cell.trim() !== '')) {
        records.push({ line, cells });
        if (records.length === max) throw new RecordLimitReached();
      }
      // The parser counts line ends within quotes twice.
      line += countLines(bytes.subarray(begin, end));
      begin = end;
      return null;
    },
  });
  parser.resume(); // `on_record` takes them all
  try {
    await pipeline(Readable.from(sliceBytes(bytes, () => records.length > 0)), parser);
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED')
      return { records, openAt: line };
    if (!(error instanceof RecordLimitReached)) throw error;
  }
  return { records, openAt: undefined };
}

class RecordLimitReached extends Error {}
const TOO_LONG = `The file has more than ${MAX_RECORDS.toLocaleString('en')} lines. Remove the empty ones, or import it in parts.`;

const FIRST_LINE_TOO_LONG = 'The first line is too long. It must contain only column names.';

/** Slices are bytes, because a slice may end within a character. */
async function* sliceBytes(bytes: Buffer, hasHeading: () => boolean): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    if (start >= MAX_FIRST_LINE_BYTES && !hasHeading())
      throw new HttpError(400, FIRST_LINE_TOO_LONG);
    yield bytes.subarray(start, start + SLICE_BYTES);
    await yieldToEventLoop();
  }
}
