import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { AuditEntry, AuditPage, KeptEntry } from '../../src/shared/contract';
import { toLine } from '../../src/shared/csv';
import type { Database } from '../db/open';
import { AUDIT_KEPT_SINCE, writeSetting } from '../db/settings';
import { inSteps, nextTurn } from '../lib/loop';
import { containsWords, pagerOf } from '../http/paging';
import type { Paging } from '../http/paging';
import { toTime } from '../lib/clock';

export const AUDIT_PIECE = 1000;

const deleted = (column: string): RawBuilder<string | null> =>
  sql`'deleted user ' || ${sql.ref(column)}`;

const searched = sql<string>`entry.search_key
  || ' ' || coalesce(actor.username_key, ${deleted('entry.actor_id')}, '')
  || ' ' || coalesce(target.username_key, ${deleted('entry.target_id')}, '')`;

function findEntries(words: readonly string[], db: Database) {
  return db
    .selectFrom('audit_entries as entry')
    .leftJoin('users as actor', 'actor.id', 'entry.actor_id')
    .leftJoin('users as target', 'target.id', 'entry.target_id')
    .where(containsWords(words, searched));
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

export function listEntries(
  paging: Paging,
  words: readonly string[],
  db: Database,
): Promise<Omit<AuditPage, 'keptDays'>> {
  return words.length === 0 ? listAll(paging, db) : searchEntries(paging, words, db);
}

/** Counting needs no names, and the page is read in the order of ids. */
async function listAll(paging: Paging, db: Database): Promise<Omit<AuditPage, 'keptDays'>> {
  const { limit, offset } = paging;
  const rows = await findEntries([], db)
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

/** Ranges of ids, newest first; other work runs in between. */
async function* slices(max: number, db: Database): AsyncGenerator<Range> {
  const { newest, oldest } = await db
    .selectFrom('audit_entries')
    .select(({ fn }) => [
      fn.max<number | null>('id').as('newest'),
      fn.min<number | null>('id').as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  if (newest === null || oldest === null) return;
  const end = Math.max(oldest - 1, newest - max);
  for (let upTo = newest; upTo > end; upTo -= AUDIT_PIECE) {
    yield { above: Math.max(end, upTo - AUDIT_PIECE), upTo };
    await nextTurn();
  }
}

const findIn = ({ above, upTo }: Range, words: readonly string[], db: Database) =>
  findEntries(words, db)
    .where('entry.id', '>', above)
    .where('entry.id', '<=', upTo)
    .orderBy('entry.id', 'desc');

export async function searchEntries(
  { page, limit, offset }: Paging,
  words: readonly string[],
  db: Database,
  max = MAX_SEARCHED,
): Promise<Omit<AuditPage, 'keptDays'>> {
  const found: number[] = [];
  let lowest = 0;
  for await (const range of slices(max, db)) {
    const rows = await findIn(range, words, db).select('entry.id').execute();
    for (const { id } of rows) found.push(id);
    lowest = range.above;
  }
  const wanted = found.slice(offset, offset + limit);
  const rows =
    wanted.length === 0
      ? []
      : await findEntries([], db)
          .select(shown)
          .where('entry.id', 'in', wanted)
          .orderBy('entry.id', 'desc')
          .execute();
  const older = await db
    .selectFrom('audit_entries')
    .select('id')
    .where('id', '<=', lowest)
    .limit(1)
    .execute();
  return {
    entries: rows.map(toEntry),
    total: found.length,
    page,
    limit,
    ...(older.length > 0 && { searched: max }),
  };
}

async function* readPieces(words: readonly string[], db: Database): AsyncGenerator<AuditEntry[]> {
  for await (const range of slices(Number.MAX_SAFE_INTEGER, db)) {
    const rows = await findIn(range, words, db).select(shown).execute();
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
    const rows = await findEntries([], db)
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
export async function* makeAuditCsv(
  words: readonly string[],
  db: Database,
): AsyncGenerator<string> {
  let heading = toLine(CSV_COLUMNS);
  for await (const entries of readPieces(words, db)) {
    yield heading + entries.map(toCsvLine).join('');
    heading = '';
  }
  if (heading !== '') yield heading;
}

const DAY = 24 * 60 * 60 * 1000;
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
