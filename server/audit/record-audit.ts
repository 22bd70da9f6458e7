/** Writes audit entries in the transaction of their change, so there are both or neither. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { AUDIT_ACTIONS } from '../../src/shared/audit-actions';
import type { AuditAction } from '../../src/shared/audit-actions';
import { jsonTableOfList } from '../db/json-table';
import type { Tables } from '../db/schema';
import { foldCase } from '../../src/shared/case-fold';
import { clock } from '../lib/clock';
import { truncate } from '../../src/shared/contract/fields';
import { countForOwnEntry } from './counts';

/** An account, or another actor by name, such as `key: backup` or `command line`. */
export type Actor = { person: number } | { name: string };

export interface AuditAuthor {
  by: Actor;
  network?: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** An entry names people by id only, and has no secrets or texts. Reading adds message texts. */
export interface NewEntry {
  action: AuditAction;
  person?: number | undefined;
  on?: string;
  /** English text, which the app's `audit-texts.ts` shows in other languages. */
  detail?: string;
  /** The id of the message that the entry is about. */
  messageId?: string;
}

const MAX_TARGET_LENGTH = 200;
const MAX_DETAIL_LENGTH = 500;
const AUTOMATIC_ACTOR = 'Fieldbell';

const authors = new WeakMap<Transaction<Tables>, AuditAuthor>();

/** Sets the author of all later entries of a transaction. A route's `transact` calls it. */
export function actAs(author: AuditAuthor, transaction: Transaction<Tables>): void {
  authors.set(transaction, author);
}

/** Entries that a person repeats too often are counted instead (`counts.ts`). */
export async function recordAudit(
  entries: NewEntry | readonly NewEntry[],
  transaction: Transaction<Tables>,
  { isCounted = false } = {},
): Promise<void> {
  const { by, network, at }: AuditAuthor = authors.get(transaction) ?? {
    by: { name: AUTOMATIC_ACTOR },
    at: clock.now(),
  };
  const author = {
    at,
    actor_id: 'person' in by ? by.person : null,
    actor: 'name' in by ? by.name : '',
    network: network ?? null,
  };
  const toRow = createRowBuilder(author);
  const newEntries = [entries].flat();
  const [onlyEntry] = newEntries;
  // Entries for many people at once are one action for each of them.
  if (!isCounted && 'person' in by && onlyEntry !== undefined && newEntries.length === 1) {
    const newEntry = { ...onlyEntry, actor: by.person, network: network ?? null, at };
    if (!(await countForOwnEntry(newEntry, transaction))) return;
  }
  const rows = newEntries.map(toRow);
  const [firstRow] = rows;
  if (firstRow === undefined) return;
  if (rows.length === 1)
    await transaction
      .insertInto('audit_entries')
      .values({ ...author, ...firstRow })
      .execute();
  else await insertMany(rows, author, transaction);
}

interface AuthorColumns {
  at: number;
  actor_id: number | null;
  actor: string;
  network: string | null;
}

interface NewEntryRow {
  action: AuditAction;
  target_id: number | null;
  target: string;
  detail: string;
  message_id: string | null;
  search_key: string;
}

/** Caches folded texts: thousands of entries at once mostly share them. */
function createRowBuilder({ at, actor, network }: AuthorColumns): (entry: NewEntry) => NewEntryRow {
  const day = new Date(at).toISOString().slice(0, 10);
  const names = new Map<string, string>();
  const foldText = (text: string): string => {
    const foldedName = names.get(text) ?? foldCase(text);
    names.set(text, foldedName);
    return foldedName;
  };
  return ({ action, person, on = '', detail = '', messageId }) => {
    const target = truncate(on, MAX_TARGET_LENGTH);
    const shortDetail = truncate(detail, MAX_DETAIL_LENGTH);
    const searchWords = [
      AUDIT_ACTIONS[action],
      action,
      actor,
      network ?? '',
      target,
      shortDetail,
      day,
    ];
    return {
      action,
      target_id: person ?? null,
      target,
      detail: shortDetail,
      message_id: messageId ?? null,
      search_key: foldText(searchWords.join('\n')),
    };
  };
}

/** Keeps the order. Uses one JSON parameter: parsing a statement with thousands takes long. */
async function insertMany(
  rows: readonly NewEntryRow[],
  { at, actor_id, actor, network }: AuthorColumns,
  transaction: Transaction<Tables>,
): Promise<void> {
  const values = rows.map(({ action, target_id, target, detail, message_id, search_key }) => [
    action,
    target_id,
    target,
    detail,
    message_id,
    search_key,
  ]);
  await sql`insert into audit_entries
      (at, actor_id, actor, network, action, target_id, target, detail, message_id, search_key)
    select cast(${at} as bigint), cast(${actor_id} as bigint), cast(${actor} as text), cast(${network} as text),
      value->>0, cast(value->>1 as bigint), value->>2, value->>3, value->>4, value->>5
    from ${jsonTableOfList(values)} order by cast(key as bigint)`.execute(transaction);
}
