/** The audit log as a file for spreadsheets. */
import type { AuditEntry } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { toLine } from '../../src/shared/csv';
import { readPieces } from './entries';

const COLUMNS = ['at', 'actor', 'action', 'target', 'detail', 'network'] as const;

const toText = (entry: AuditEntry): string => toLine(COLUMNS.map((name) => entry[name] ?? ''));

/** The newest first. Each piece has its own statement: a slow reader would hold a transaction open. */
export async function* makeCsv(words: readonly string[], db: Database): AsyncGenerator<string> {
  let heading = toLine(COLUMNS);
  for await (const entries of readPieces(words, db)) {
    yield heading + entries.map(toText).join('');
    heading = '';
  }
  if (heading !== '') yield heading;
}
