import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { AuditEntry, AuditPage, ExportedEntry } from '../../src/shared/contract';
import { toCsvLine } from '../../src/shared/csv';
import type { Database } from '../db/open';
import { yieldToEventLoop } from '../lib/loop';
import { containsWords, readPageFields } from '../http/paging';
import type { Paging } from '../http/paging';
import { toTime } from '../lib/clock';
import { textAtEntry } from '../messages/corrections/former-texts';
import { ALL_ENTRIES, isUnfiltered } from './filter';
import type { AuditFilter } from './filter';

export const AUDIT_EXPORT_BATCH = 1000;

const deletedName = (column: string): RawBuilder<string | null> =>
  sql`'deleted user ' || ${sql.ref(column)}`;

const searchText = sql<string>`entry.search_key
  || ' ' || coalesce(actor.username_key, ${deletedName('entry.actor_id')}, '')
  || ' ' || coalesce(target.username_key, ${deletedName('entry.target_id')}, '')`;

function findEntries({ words, actions, matching = [] }: AuditFilter, db: Database) {
  const entries = db
    .selectFrom('audit_entries as entry')
    .leftJoin('users as actor', 'actor.id', 'entry.actor_id')
    .leftJoin('users as target', 'target.id', 'entry.target_id')
    .where(({ eb, or }) =>
      words.length === 0 || matching.length === 0
        ? containsWords(words, searchText)
        : or([containsWords(words, searchText), eb('entry.action', 'in', matching)]),
    );
  return actions === undefined ? entries : entries.where('entry.action', 'in', actions);
}

const entryColumns = [
  'entry.id',
  'entry.at',
  'entry.action',
  'entry.detail',
  'entry.network',
  sql<string>`coalesce(actor.username, ${deletedName('entry.actor_id')}, entry.actor)`.as('actor'),
  sql<string>`coalesce(target.username, ${deletedName('entry.target_id')}, entry.target)`.as(
    'target',
  ),
] as const;

type EntryRow = Omit<AuditEntry, 'at'> & { at: number };

const toEntry = ({ id, at, actor, action, target, detail, network }: EntryRow): AuditEntry => ({
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
  const page = await (isUnfiltered(filter)
    ? listAll(paging, db)
    : searchEntries(paging, filter, db));
  return { ...page, entries: await withMessages(page.entries, db) };
}

/**
 * Adds message texts, which the log never stores: a deleted message's text is gone here, too. An
 * entry shows the text of its time, whatever the later corrections.
 */
async function withMessages(entries: readonly AuditEntry[], db: Database): Promise<AuditEntry[]> {
  const ids = entries.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('audit_entries as entry')
    .innerJoin('messages', 'messages.id', 'entry.message_id')
    .where('entry.id', 'in', ids)
    .select(['entry.id', 'entry.at', 'entry.action', 'messages.id as messageId', 'topic_title'])
    .select([
      'messages.title',
      'messages.text',
      'messages.former',
      'messages.unsent',
      'messages.revised_at',
    ])
    .execute();
  const messages = new Map(
    rows.map((row) => {
      const { title, text } = textAtEntry(row, row);
      return [row.id, { id: row.messageId, title: title ?? row.topic_title, text }];
    }),
  );
  return entries.map((entry) => {
    const message = messages.get(entry.id);
    return message === undefined ? entry : { ...entry, message };
  });
}

/** Counting needs no names, and the page is read in the order of ids. */
async function listAll(paging: Paging, db: Database): Promise<Omit<AuditPage, 'keptDays'>> {
  const { limit, offset } = paging;
  const rows = await findEntries(ALL_ENTRIES, db)
    .select(entryColumns)
    .orderBy('entry.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const pageFields = await readPageFields(rows, paging, db.selectFrom('audit_entries'), db);
  return { entries: rows.map(toEntry), ...pageFields };
}

const MAX_SEARCHED_ENTRIES = 1_000_000;

interface EntryIdRange {
  above: number;
  upTo: number;
}

interface SearchedIds {
  newest: number;
  /** All matching entries have a higher id. */
  end: number;
  /** Whether there are older entries than the newest `max`. */
  isCut: boolean;
}

async function findEnds(
  since: number,
  max: number,
  db: Database,
): Promise<SearchedIds | undefined> {
  const { newest, oldest } = await db
    .selectFrom('audit_entries')
    .select(({ fn }) => [
      fn.max<number | null>('id').as('newest'),
      fn.min<number | null>('id').as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  if (newest === null || oldest === null) return undefined;
  const first = since === 0 ? oldest : await findFirstSince(since, db);
  if (first === undefined) return undefined;
  // Entries written at once may have their ids in another order than their times.
  const end = Math.max(oldest - 1, first - AUDIT_EXPORT_BATCH);
  return { newest, end: Math.max(end, newest - max), isCut: newest - max > end };
}

async function findFirstSince(since: number, db: Database): Promise<number | undefined> {
  const entriesQuery = db
    .selectFrom('audit_entries')
    .where('at', '>=', since)
    .orderBy('at')
    .limit(1);
  return (await entriesQuery.select('id').executeTakeFirst())?.id;
}

/** Ranges of ids, newest first; other work runs in between. */
async function* idRanges(searchedIds: SearchedIds | undefined): AsyncGenerator<EntryIdRange> {
  if (searchedIds === undefined) return;
  const { newest, end } = searchedIds;
  for (let upTo = newest; upTo > end; upTo -= AUDIT_EXPORT_BATCH) {
    yield { above: Math.max(end, upTo - AUDIT_EXPORT_BATCH), upTo };
    await yieldToEventLoop();
  }
}

const findIn = ({ above, upTo }: EntryIdRange, filter: AuditFilter, db: Database) =>
  findEntries(filter, db)
    .where('entry.id', '>', above)
    .where('entry.id', '<=', upTo)
    .where('entry.at', '>=', filter.since)
    .orderBy('entry.id', 'desc');

export async function searchEntries(
  { page, limit, offset }: Paging,
  filter: AuditFilter,
  db: Database,
  max = MAX_SEARCHED_ENTRIES,
): Promise<Omit<AuditPage, 'keptDays'>> {
  const matchingIds: number[] = [];
  const searchedIds = await findEnds(filter.since, max, db);
  for await (const range of idRanges(searchedIds)) {
    const rows = await findIn(range, filter, db).select('entry.id').execute();
    for (const { id } of rows) matchingIds.push(id);
  }
  const pageIds = matchingIds.slice(offset, offset + limit);
  const rows =
    pageIds.length === 0
      ? []
      : await findEntries(ALL_ENTRIES, db)
          .select(entryColumns)
          .where('entry.id', 'in', pageIds)
          .orderBy('entry.id', 'desc')
          .execute();
  return {
    entries: rows.map(toEntry),
    total: matchingIds.length,
    page,
    limit,
    ...(searchedIds?.isCut && { searched: max }),
  };
}

async function* readPieces(filter: AuditFilter, db: Database): AsyncGenerator<AuditEntry[]> {
  for await (const range of idRanges(await findEnds(filter.since, Number.MAX_SAFE_INTEGER, db))) {
    const rows = await findIn(range, filter, db).select(entryColumns).execute();
    if (rows.length > 0) yield rows.map(toEntry);
  }
}

/** Everything a person did and that was done to them, newest first. */
export async function* readUserEntries(
  userId: number,
  db: Database,
): AsyncGenerator<ExportedEntry[]> {
  for (let beforeId = Number.MAX_SAFE_INTEGER; ; ) {
    // Each column has its own index, so a piece always costs the same.
    const newestBy = (column: 'actor_id' | 'target_id') =>
      db
        .selectFrom('audit_entries')
        .select('id')
        .where(column, '=', userId)
        .where('id', '<', beforeId)
        .orderBy('id', 'desc')
        .limit(AUDIT_EXPORT_BATCH)
        .as(column);
    const rows = await findEntries(ALL_ENTRIES, db)
      .select(entryColumns)
      .select('entry.actor_id')
      .where(
        'entry.id',
        'in',
        db
          .selectFrom(newestBy('actor_id'))
          .select('id')
          .union(db.selectFrom(newestBy('target_id')).select('id')),
      )
      .orderBy('entry.id', 'desc')
      .limit(AUDIT_EXPORT_BATCH)
      .execute();
    yield rows.map((row) => {
      const { at, action, target, detail, network } = toEntry(row);
      return { at, action, target, detail, network: row.actor_id === userId ? network : null };
    });
    const lastRow = rows.at(-1);
    if (lastRow === undefined || rows.length < AUDIT_EXPORT_BATCH) return;
    beforeId = lastRow.id;
  }
}

const CSV_COLUMNS = ['at', 'actor', 'action', 'target', 'detail', 'network'] as const;

const toEntryLine = (entry: AuditEntry): string =>
  toCsvLine(CSV_COLUMNS.map((name) => entry[name] ?? ''));

/** Reads the newest first. Each piece has its own statement, because readers may be slow. */
export async function* createAuditCsv(filter: AuditFilter, db: Database): AsyncGenerator<string> {
  let heading = toCsvLine(CSV_COLUMNS);
  for await (const entries of readPieces(filter, db)) {
    yield heading + entries.map(toEntryLine).join('');
    heading = '';
  }
  if (heading !== '') yield heading;
}
