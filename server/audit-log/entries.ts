import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { AUDIT_AREAS, auditActionsOf } from '../../src/shared/audit-actions';
import type { AuditAction } from '../../src/shared/audit-actions';
import type { AuditEntry, AuditPage, KeptEntry } from '../../src/shared/contract';
import { AUDIT_PERIODS } from '../../src/shared/contract/audit';
import { toLine } from '../../src/shared/csv';
import type { Database } from '../db/open';
import { AUDIT_KEPT_SINCE, writeSetting } from '../db/settings';
import { inSteps, nextTurn } from '../lib/loop';
import { HttpError } from '../http/errors';
import { containsWords, pagerOf, readWords } from '../http/paging';
import type { Paging } from '../http/paging';
import { toTime } from '../lib/clock';

export const AUDIT_PIECE = 1000;

const deleted = (column: string): RawBuilder<string | null> =>
  sql`'deleted user ' || ${sql.ref(column)}`;

const searched = sql<string>`entry.search_key
  || ' ' || coalesce(actor.username_key, ${deleted('entry.actor_id')}, '')
  || ' ' || coalesce(target.username_key, ${deleted('entry.target_id')}, '')`;

export interface AuditFilter {
  words: readonly string[];
  /** All if undefined. */
  actions?: readonly AuditAction[] | undefined;
  /** Milliseconds since 1970. */
  since: number;
}

const EVERYTHING: AuditFilter = { words: [], since: 0 };
const DAY = 24 * 60 * 60 * 1000;

/** @throws HttpError 400 */
export function readAuditFilter(query: URLSearchParams, now: number): AuditFilter {
  const area = readOption('area', AUDIT_AREAS, query);
  const days = readOption('days', AUDIT_PERIODS, query);
  return {
    words: readWords(query),
    actions: area && auditActionsOf(area),
    since: days === undefined ? 0 : now - days * DAY,
  };
}

/** Undefined if it is absent. */
function readOption<Option extends string | number>(
  path: string,
  options: readonly Option[],
  query: URLSearchParams,
): Option | undefined {
  const given = query.get(path);
  if (!given) return undefined;
  const found = options.find((each) => String(each) === given);
  if (found !== undefined) return found;
  const name = path === 'area' ? 'Area' : 'Days';
  throw new HttpError(400, [{ message: `${name} must be one of ${options.join(', ')}.`, path }]);
}

export const isEverything = ({ words, actions, since }: AuditFilter): boolean =>
  words.length === 0 && actions === undefined && since === 0;

function findEntries({ words, actions }: AuditFilter, db: Database) {
  const found = db
    .selectFrom('audit_entries as entry')
    .leftJoin('users as actor', 'actor.id', 'entry.actor_id')
    .leftJoin('users as target', 'target.id', 'entry.target_id')
    .where(containsWords(words, searched));
  return actions === undefined ? found : found.where('entry.action', 'in', actions);
}

const shown = [
  'entry.id',
  'entry.at',
  'entry.action',
  'entry.detail',
  'entry.network',
  sql<string>`coalesce(actor.username, ${deleted('entry.actor_id')}, entry.actor)`.as('actor'),
  sql<string>`coalesce(target.username, ${deleted('entry.target_id')}, entry.target)`.as('target'),
] as const;

type Row = Omit<AuditEntry, 'at'> & { at: number };

const toEntry = ({ id, at, actor, action, target, detail, network }: Row): AuditEntry => ({
  id,
  at: toTime(at),
  actor,
  action,
  target,
  detail,
  network,
});

export async function listEntries(
  paging: Paging,
  filter: AuditFilter,
  db: Database,
): Promise<Omit<AuditPage, 'keptDays'>> {
  const page = await (isEverything(filter)
    ? listAll(paging, db)
    : searchEntries(paging, filter, db));
  return { ...page, entries: await withMessages(page.entries, db) };
}

/** Read with the log and never kept in it, so a deleted message's text is gone here, too. */
async function withMessages(entries: readonly AuditEntry[], db: Database): Promise<AuditEntry[]> {
  const ids = entries.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('audit_entries as entry')
    .innerJoin('messages', 'messages.id', 'entry.message_id')
    .where('entry.id', 'in', ids)
    .select(['entry.id', 'messages.id as messageId', 'messages.text'])
    .select(({ fn, ref }) => fn.coalesce(ref('messages.title'), ref('topic_title')).as('title'))
    .execute();
  const messages = new Map(
    rows.map(({ id, messageId, title, text }) => [id, { id: messageId, title, text }]),
  );
  return entries.map((entry) => {
    const message = messages.get(entry.id);
    return message === undefined ? entry : { ...entry, message };
  });
}

/** Counting needs no names, and the page is read in the order of ids. */
async function listAll(paging: Paging, db: Database): Promise<Omit<AuditPage, 'keptDays'>> {
  const { limit, offset } = paging;
  const rows = await findEntries(EVERYTHING, db)
    .select(shown)
    .orderBy('entry.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const pager = await pagerOf(rows, paging, db.selectFrom('audit_entries'), db);
  return { entries: rows.map(toEntry), ...pager };
}

const MAX_SEARCHED = 1_000_000;

interface Range {
  above: number;
  upTo: number;
}

interface Ends {
  newest: number;
  /** All that match are above it. */
  end: number;
  /** Whether there are older entries than the newest `max`. */
  isCut: boolean;
}

async function findEnds(since: number, max: number, db: Database): Promise<Ends | undefined> {
  const { newest, oldest } = await db
    .selectFrom('audit_entries')
    .select(({ fn }) => [
      fn.max<number | null>('id').as('newest'),
      fn.min<number | null>('id').as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  const first = await db
    .selectFrom('audit_entries')
    .where('at', '>=', since)
    .orderBy('at')
    .limit(1)
    .select('id')
    .executeTakeFirst();
  if (newest === null || oldest === null || first === undefined) return undefined;
  // Entries written at once may have their ids in another order than their times.
  const end = Math.max(oldest - 1, since === 0 ? 0 : first.id - AUDIT_PIECE);
  return { newest, end: Math.max(end, newest - max), isCut: newest - max > end };
}

/** Ranges of ids, newest first; other work runs in between. */
async function* slices(ends: Ends | undefined): AsyncGenerator<Range> {
  if (ends === undefined) return;
  const { newest, end } = ends;
  for (let upTo = newest; upTo > end; upTo -= AUDIT_PIECE) {
    yield { above: Math.max(end, upTo - AUDIT_PIECE), upTo };
    await nextTurn();
  }
}

const findIn = ({ above, upTo }: Range, filter: AuditFilter, db: Database) =>
  findEntries(filter, db)
    .where('entry.id', '>', above)
    .where('entry.id', '<=', upTo)
    .where('entry.at', '>=', filter.since)
    .orderBy('entry.id', 'desc');

export async function searchEntries(
  { page, limit, offset }: Paging,
  filter: AuditFilter,
  db: Database,
  max = MAX_SEARCHED,
): Promise<Omit<AuditPage, 'keptDays'>> {
  const found: number[] = [];
  const ends = await findEnds(filter.since, max, db);
  for await (const range of slices(ends)) {
    const rows = await findIn(range, filter, db).select('entry.id').execute();
    for (const { id } of rows) found.push(id);
  }
  const wanted = found.slice(offset, offset + limit);
  const rows =
    wanted.length === 0
      ? []
      : await findEntries(EVERYTHING, db)
          .select(shown)
          .where('entry.id', 'in', wanted)
          .orderBy('entry.id', 'desc')
          .execute();
  return {
    entries: rows.map(toEntry),
    total: found.length,
    page,
    limit,
    ...(ends?.isCut && { searched: max }),
  };
}

async function* readPieces(filter: AuditFilter, db: Database): AsyncGenerator<AuditEntry[]> {
  for await (const range of slices(await findEnds(filter.since, Number.MAX_SAFE_INTEGER, db))) {
    const rows = await findIn(range, filter, db).select(shown).execute();
    if (rows.length > 0) yield rows.map(toEntry);
  }
}

/** Everything a person did and that was done to them, newest first. */
export async function* readEntriesOf(userId: number, db: Database): AsyncGenerator<KeptEntry[]> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    // Each column has its own index, so a piece always costs the same.
    const newest = (column: 'actor_id' | 'target_id') =>
      db
        .selectFrom('audit_entries')
        .select('id')
        .where(column, '=', userId)
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(AUDIT_PIECE)
        .as(column);
    const rows = await findEntries(EVERYTHING, db)
      .select(shown)
      .select('entry.actor_id')
      .where(
        'entry.id',
        'in',
        db
          .selectFrom(newest('actor_id'))
          .select('id')
          .union(db.selectFrom(newest('target_id')).select('id')),
      )
      .orderBy('entry.id', 'desc')
      .limit(AUDIT_PIECE)
      .execute();
    yield rows.map((row) => {
      const { at, action, target, detail, network } = toEntry(row);
      return { at, action, target, detail, network: row.actor_id === userId ? network : null };
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < AUDIT_PIECE) return;
    before = last.id;
  }
}

const CSV_COLUMNS = ['at', 'actor', 'action', 'target', 'detail', 'network'] as const;

const toCsvLine = (entry: AuditEntry): string =>
  toLine(CSV_COLUMNS.map((name) => entry[name] ?? ''));

/** Newest first. Each piece has its own statement, as readers may be slow. */
export async function* makeAuditCsv(filter: AuditFilter, db: Database): AsyncGenerator<string> {
  let heading = toLine(CSV_COLUMNS);
  for await (const entries of readPieces(filter, db)) {
    yield heading + entries.map(toCsvLine).join('');
    heading = '';
  }
  if (heading !== '') yield heading;
}

/** Few enough that other writers do not wait long. */
const SWEEP_BATCH = 1000;

/** Removes expired entries until none is left or it must stop. Safe in several processes. */
export async function sweepEntries(
  db: Database,
  now: number,
  keptDays: number,
  stopping: AbortSignal,
): Promise<void> {
  const since = now - keptDays * DAY;
  const isOver = sql`at < ${since}`;
  const { rows } = await sql`select 1 from audit_entries where ${isOver} limit 1`.execute(db);
  if (rows.length === 0) return;
  // A trigger rejects the removal of later entries.
  await writeSetting(AUDIT_KEPT_SINCE, String(since), db);
  // Skip what is removed: PostgreSQL keeps it in the index until a vacuum.
  let from = 0;
  await inSteps(async () => {
    const removed = await sql<{ at: number }>`delete from audit_entries where ${isOver} and id in
      (select id from audit_entries where ${isOver} and at >= ${from} order by at limit ${sql.lit(SWEEP_BATCH)})
      returning at`.execute(db);
    from = removed.rows.reduce((last, { at }) => Math.max(last, at), from);
    return removed.rows.length === SWEEP_BATCH;
  }, stopping);
}
