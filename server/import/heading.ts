import { findSimilarWord } from '../lib/likely';

export type ImportColumn = 'username' | 'email' | 'role' | 'topics';

const NAMES: Record<string, ImportColumn> = {
  username: 'username',
  email: 'email',
  'e-mail': 'email',
  role: 'role',
  topics: 'topics',
};
const ALL = 'username, email, role and topics';

/** Bounds for a first line. */
const MAX_LETTERS = 1000;
const MAX_CELLS = 50;

/** Excel's own first line, which names the separator. */
const SEPARATOR_LINE = /^sep=(.)(\r\n|\n|\r|$)/i;
/** Excel writes semicolons where numbers have decimal commas, and tabs in “Unicode text”. */
const SEPARATORS = [',', ';', '\t'] as const;

const clean = (cell: string): string => cell.replaceAll('"', '').trim().toLowerCase();

export function findSeparator(text: string): { separator: string; skip: number } {
  const [separatorLine = '', separator] = SEPARATOR_LINE.exec(text) ?? [];
  if (separator !== undefined) return { separator, skip: separatorLine.length };
  const [line = ''] = text
    .trimStart()
    .slice(0, MAX_LETTERS)
    .split(/[\r\n]/, 1);
  const known = (by: string): number =>
    line.split(by).filter((cell) => Object.hasOwn(NAMES, clean(cell))).length;
  const [best = ','] = [...SEPARATORS].sort((one, other) => known(other) - known(one));
  return { separator: best, skip: 0 };
}

export function readHeading(
  cells: readonly string[],
): { columns: ImportColumn[] } | { refusal: string } {
  const names = withoutEnd(cells).slice(0, MAX_CELLS).map(clean);
  if (!names.some((name) => Object.hasOwn(NAMES, name)))
    return { refusal: 'The first line must name the columns: username,email,role,topics' };
  const columns: ImportColumn[] = [];
  for (const [index, name] of names.entries()) {
    const column = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    if (column === undefined)
      return { refusal: name === '' ? NAMELESS : unknown(cells[index]?.trim() ?? '') };
    if (columns.includes(column)) return { refusal: `The column “${column}” appears twice.` };
    columns.push(column);
  }
  if (!columns.includes('username')) return { refusal: 'The first line has no column “username”.' };
  return { columns };
}

const NAMELESS = `A column in the first line has no name. Use ${ALL}.`;

function unknown(name: string): string {
  const likely = findSimilarWord(name.toLowerCase(), Object.keys(NAMES));
  const hint = likely === undefined ? `Use ${ALL}.` : `Did you mean “${likely}”?`;
  return `Unknown column “${name.slice(0, 40)}”. ${hint}`;
}

/** Spreadsheets may save empty columns on the right. */
function withoutEnd(cells: readonly string[]): string[] {
  const last = cells.findLastIndex((cell) => clean(cell) !== '');
  return cells.slice(0, last + 1);
}
