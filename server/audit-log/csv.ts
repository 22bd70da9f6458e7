/** The audit log as a file for spreadsheets. */
import type { AuditEntry } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { inPieces } from '../http/pieces';
import type { Following } from '../http/pieces';
import { Reply } from '../http/reply';
import { toLine } from '../../src/shared/csv';
import { readPieces } from './entries';

const COLUMNS = ['at', 'actor', 'action', 'target', 'detail', 'network'] as const;

const toText = (entry: AuditEntry): string => toLine(COLUMNS.map((name) => entry[name] ?? ''));

/** The newest first. */
export async function answerCsv(
  words: readonly string[],
  db: Database,
  following: Following,
): Promise<Reply> {
  return new Reply(
    200,
    {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': 'attachment; filename="audit-log.csv"',
    },
    await inPieces(makePieces(words, db), following),
  );
}

/** Each by a statement of its own: a transaction would last for as long as the slowest reader likes. */
async function* makePieces(words: readonly string[], db: Database): AsyncGenerator<string> {
  let heading = toLine(COLUMNS);
  for await (const entries of readPieces(words, db)) {
    yield heading + entries.map(toText).join('');
    heading = '';
  }
  if (heading !== '') yield heading;
}
