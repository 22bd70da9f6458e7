/** Reading the audit log. People are named as they are now: who was deleted has no name any more. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { AuditEntry, AuditPage, KeptEntry } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { holds } from '../http/paging';
import type { Paging } from '../http/paging';

/** At a time, of what is read as a whole: so much is in memory. */
export const PIECE = 1000;

/** How an account is called whose person was deleted. Null where there is none. */
const deleted = (column: string): RawBuilder<string | null> =>
  sql`'deleted user ' || ${sql.ref(column)}`;

/** Where a search looks for each of its words: all that is shown of an entry. */
const searched = sql<string>`entry.search_key
  || ' ' || coalesce(actor.username_key, ${deleted('entry.actor_id')}, '')
  || ' ' || coalesce(target.username_key, ${deleted('entry.target_id')}, '')`;

function findEntries(words: readonly string[], db: Database) {
  return db
    .selectFrom('audit_entries as entry')
    .leftJoin('users as actor', 'actor.id', 'entry.actor_id')
    .leftJoin('users as target', 'target.id', 'entry.target_id')
    .where(holds(words, searched));
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
  at: new Date(at).toISOString(),
  actor,
  action,
  target,
  detail,
  network,
});

const count = sql<number>`count(*)`.as('total');

/** The newest first. */
export async function listEntries(
  { page, limit, offset }: Paging,
  words: readonly string[],
  db: Database,
): Promise<Omit<AuditPage, 'keptDays'>> {
  // Without a search nobody's name is needed to count.
  const counted =
    words.length === 0
      ? db.selectFrom('audit_entries').select(count)
      : findEntries(words, db).select(count);
  const { total } = await counted.executeTakeFirstOrThrow();
  const rows = await findEntries(words, db)
    .select(shown)
    .orderBy('entry.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { entries: rows.map(toEntry), total, page, limit };
}

/** Those before `id`, the newest first; `PIECE` of them, or fewer where there are no more. */
export async function readPiece(
  words: readonly string[],
  id: number,
  db: Database,
): Promise<AuditEntry[]> {
  const rows = await findEntries(words, db)
    .select(shown)
    .where('entry.id', '<', id)
    .orderBy('entry.id', 'desc')
    .limit(PIECE)
    .execute();
  return rows.map(toEntry);
}

/** All that a person did and that was done to them, in pieces, the newest first. */
export async function* readEntriesOf(userId: number, db: Database): AsyncGenerator<KeptEntry[]> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await findEntries([], db)
      .select(shown)
      .select('entry.actor_id')
      .where(({ or, eb }) =>
        or([eb('entry.actor_id', '=', userId), eb('entry.target_id', '=', userId)]),
      )
      .where('entry.id', '<', before)
      .orderBy('entry.id', 'desc')
      .limit(PIECE)
      .execute();
    yield rows.map((row) => {
      const { at, action, target, detail, network } = toEntry(row);
      return { at, action, target, detail, network: row.actor_id === userId ? network : null };
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < PIECE) return;
    before = last.id;
  }
}
