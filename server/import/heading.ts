import type { ColumnUse, ImportHeading } from '../../src/shared/contract';
import { truncate } from '../../src/shared/contract/fields';
import { HttpError } from '../http/errors';
import { findSimilarWord } from '../lib/similar-word';
import { findColumn } from './column-names';
import type { ImportColumn } from './column-names';

const IMPORT_COLUMNS: readonly ImportColumn[] = ['username', 'email', 'role', 'topics', 'teams'];
const LISTED_COLUMNS = 'username, email, role, topics, teams';

/** Bounds for a first line. */
const MAX_HEADING_LENGTH = 1000;
const MAX_COLUMNS = 50;
/** Bounds for a sentence. */
const MAX_NAMED_COLUMNS = 5;
const MAX_QUOTED_NAME_LENGTH = 40;

/** Excel's own first line, which names the separator. */
const SEPARATOR_LINE = /^sep=(.)(\r\n|\n|\r|$)/i;
/** Excel writes semicolons where numbers have decimal commas, and tabs in “Unicode text”. */
const SEPARATORS = [',', ';', '\t'] as const;

const cleanCell = (cell: string): string => cell.replaceAll('"', '').trim();

/** The one that gives the most known columns, then the most columns. */
export function findSeparator(text: string): { separator: string; skip: number } {
  const [separatorLine = '', separator] = SEPARATOR_LINE.exec(text) ?? [];
  if (separator !== undefined) return { separator, skip: separatorLine.length };
  const [line = ''] = text
    .trimStart()
    .slice(0, MAX_HEADING_LENGTH)
    .split(/[\r\n]/, 1);
  const [bestSplit] = SEPARATORS.map((by) => {
    const cells = line.split(by);
    const namedColumns = cells.filter((cell) => findColumn(cleanCell(cell)) !== undefined).length;
    return { by, namedColumns, cells: cells.length };
  }).sort((a, b) => b.namedColumns - a.namedColumns || b.cells - a.cells);
  return { separator: bestSplit?.by ?? ',', skip: 0 };
}

/** The first line is invalid. If its columns can be chosen, `heading` lists them. */
export class HeadingError extends HttpError {
  constructor(
    message: string,
    readonly heading?: ImportHeading,
  ) {
    super(400, message);
  }
}

/**
 * What each column contains.
 * @param chosenColumns by the caller, instead of by name
 * @throws {HeadingError}
 */
export function readHeading(
  cells: readonly string[],
  chosenColumns: readonly ColumnUse[] | undefined,
): readonly ColumnUse[] {
  const names = withoutEnd(cells).map(cleanCell);
  if (names.length > MAX_COLUMNS) throw new HeadingError(TOO_MANY_COLUMNS);
  const columnUses = names.map((name) => findColumn(name) ?? 'ignore');
  const isChosen = chosenColumns?.length === names.length;
  const uses = isChosen ? chosenColumns : columnUses;
  const fault =
    chosenColumns && !isChosen
      ? COLUMNS_CHANGED
      : chosenColumns
        ? findUseFault(chosenColumns)
        : (findNameFault(names, columnUses) ?? findUseFault(columnUses));
  if (fault === undefined) return uses;
  // An address belongs to a person: such a line names no columns.
  if (names.some((name) => name.includes('@'))) throw new HeadingError(NO_COLUMN_NAMES);
  throw new HeadingError(fault, {
    columns: uses.map((use, index) => ({
      name: truncate(names[index] ?? '', MAX_QUOTED_NAME_LENGTH),
      use: isChosen || uses.indexOf(use) === index ? use : 'ignore',
    })),
  });
}

const NO_COLUMN_NAMES = 'The first line must name the columns, such as username,email,role,topics';
const COLUMN_WITHOUT_NAME = `A column in the first line has no name. Allowed columns: ${LISTED_COLUMNS}.`;
const TOO_MANY_COLUMNS = `The first line has more than ${MAX_COLUMNS} columns. Remove those that are not needed.`;
const COLUMNS_CHANGED =
  'The first line no longer has the columns you chose. Choose the columns again.';

function findNameFault(
  names: readonly string[],
  columns: readonly ColumnUse[],
): string | undefined {
  if (columns.every((use) => use === 'ignore')) return NO_COLUMN_NAMES;
  if (names.includes('')) return COLUMN_WITHOUT_NAME;
  const unknown = names.filter((_, index) => columns[index] === 'ignore');
  return unknown.length > 0 ? unknownText([...new Set(unknown)]) : undefined;
}

function findUseFault(uses: readonly ColumnUse[]): string | undefined {
  const repeatedColumn = IMPORT_COLUMNS.find(
    (column) => uses.indexOf(column) !== uses.lastIndexOf(column),
  );
  if (repeatedColumn !== undefined) return `The column “${repeatedColumn}” appears twice.`;
  return uses.includes('username') ? undefined : 'No column is used for “username”.';
}

function unknownText(names: readonly string[]): string {
  const [name = ''] = names;
  const similarColumn =
    names.length === 1 ? findSimilarWord(name.toLowerCase(), IMPORT_COLUMNS) : undefined;
  const hint =
    similarColumn === undefined
      ? `Allowed columns: ${LISTED_COLUMNS}.`
      : `Did you mean “${similarColumn}”?`;
  const shownNames = names
    .slice(0, MAX_NAMED_COLUMNS)
    .map((columnName) => `“${truncate(columnName, MAX_QUOTED_NAME_LENGTH)}”`);
  const hiddenCount = names.length - shownNames.length;
  const moreText = hiddenCount > 0 ? ` and ${hiddenCount} more` : '';
  return `Unknown ${names.length === 1 ? 'column' : 'columns'} ${shownNames.join(', ')}${moreText}. ${hint}`;
}

/** Spreadsheets may save empty columns on the right. */
function withoutEnd(cells: readonly string[]): string[] {
  const lastFilled = cells.findLastIndex((cell) => cleanCell(cell) !== '');
  return cells.slice(0, lastFilled + 1);
}
