/** A file's text as records: cells, and the line in which each begins. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { nextTurn } from '../lib/loop';
import { HttpError } from '../http/errors';

export interface FileRecord {
  /** In the file, from 1. */
  line: number;
  cells: string[];
}

/** In a file, empty ones too: those below the table of a spreadsheet cost as much as others. */
const MOST_RECORDS = 100_000;
/** Others get their turn after each so many bytes. */
const SLICE = 8 * 1024;
/** In bytes: spreadsheets save thousands of empty columns, and what a quote swallows is no heading. */
const MOST_FIRST = 128 * 1024;
const [LF, CR] = [10, 13];

/** Bytes that are part of a letter are none of these. A file may be all line ends. */
function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1)
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) count += 1;
  return count;
}

/**
 * Reads up to `most` records that are not empty. Quotes out of place stay in their cells.
 * @param skip so many characters are left out at the beginning
 * @returns `openAt`: the line of the record in which a quote is never closed, which is not among them
 * @throws HttpError 400 for too many lines, and where the first record does not end
 */
export async function readRecords(
  text: string,
  { separator, skip, most }: { separator: string; skip: number; most: number },
): Promise<{ records: FileRecord[]; openAt: number | undefined }> {
  const records: FileRecord[] = [];
  const skipped = text.slice(0, skip);
  const bytes = Buffer.from(text.slice(skip));
  let line = 1 + countLines(Buffer.from(skipped));
  let begin = 0;
  let seen = 0;
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: 0, // what a quote swallows that is not closed
    on_record: (cells, { bytes: end }) => {
      seen += 1;
      if (seen > MOST_RECORDS) throw new HttpError(400, TOO_LONG);
      if (cells.some((cell) => cell.trim() !== '')) {
        records.push({ line, cells });
        if (records.length === most) throw new Enough();
      }
      // Its own count takes the line ends within quotes for two.
      line += countLines(bytes.subarray(begin, end));
      begin = end;
      return null;
    },
  });
  parser.resume(); // `on_record` takes them all
  try {
    await pipeline(Readable.from(inSlices(bytes, () => records.length > 0)), parser);
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED')
      return { records, openAt: line };
    if (!(error instanceof Enough)) throw error;
  }
  return { records, openAt: undefined };
}

class Enough extends Error {}
const TOO_LONG = `The file has more than ${MOST_RECORDS.toLocaleString('en')} lines. Remove the empty ones, or import it in parts.`;

const NO_HEADING = 'The first line is too long: it must name the columns, and nothing else.';

/** As bytes, since a slice may end within a letter. */
async function* inSlices(bytes: Buffer, hasHeading: () => boolean): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += SLICE) {
    if (from >= MOST_FIRST && !hasHeading()) throw new HttpError(400, NO_HEADING);
    yield bytes.subarray(from, from + SLICE);
    await nextTurn();
  }
}
