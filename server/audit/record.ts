/**
 * Writing the audit log: an entry is written in the transaction of what it tells of, so there is
 * either both or neither.
 */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { AUDIT_ACTIONS } from '../../src/shared/audit-actions';
import type { AuditAction } from '../../src/shared/audit-actions';
import { tableOfList } from '../db/json-table';
import type { Tables } from '../db/schema';
import { foldCase } from '../../src/shared/case-fold';
import { clock } from '../lib/clock';
import { cut } from '../../src/shared/contract/fields';
import { isTold } from './counts';

/** Who acts: an account, or what else has a name, such as `key: backup` or `command line`. */
export type Actor = { person: number } | { name: string };

export interface Author {
  by: Actor;
  /** As `addressNetwork` has it; left out where no request asked for it. */
  network?: string;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * What was done. Never with a password, a token, a key, the text of a message, or anything that
 * names a person but their id: an entry cannot be changed when they are deleted.
 */
export interface NewEntry {
  action: AuditAction;
  /** The account that it was done to. */
  person?: number | undefined;
  /** What it was done to, where that is no account: a title, a name. */
  on?: string;
  detail?: string;
}

/** Titles have at most as many. */
const MAX_TARGET = 200;
const MAX_DETAIL = 500;
/** For what nobody asked for at this moment, such as a step of a policy. */
const ITSELF = 'Fieldbell';

const authors = new WeakMap<Transaction<Tables>, Author>();

/**
 * Says who acts in a transaction, for all that is recorded in it from then on. A route's `transact`
 * does so by itself.
 */
export function actAs(author: Author, transaction: Transaction<Tables>): void {
  authors.set(transaction, author);
}

/**
 * Adds entries in the transaction of a change that did happen, so a repeat leaves none. What a person
 * does too often is counted instead (`counts.ts`).
 * @param isCounted it tells of a count already
 */
export async function record(
  entries: NewEntry | readonly NewEntry[],
  transaction: Transaction<Tables>,
  { isCounted = false } = {},
): Promise<void> {
  const { by, network, at }: Author = authors.get(transaction) ?? {
    by: { name: ITSELF },
    at: clock.now(),
  };
  const author = {
    at,
    actor_id: 'person' in by ? by.person : null,
    actor: 'name' in by ? by.name : '',
    network: network ?? null,
  };
  const toRow = rowMaker(author);
  const told = [entries].flat();
  const [only] = told;
  // What is done to many at once is done once to each of them.
  if (!isCounted && 'person' in by && only !== undefined && told.length === 1) {
    const deed = { ...only, actor: by.person, network: network ?? null, at };
    if (!(await isTold(deed, transaction))) return;
  }
  const rows = told.map(toRow);
  const [first] = rows;
  if (first === undefined) return;
  if (rows.length === 1)
    await transaction
      .insertInto('audit_entries')
      .values({ ...author, ...first })
      .execute();
  else await insertMany(rows, author, transaction);
}

interface ByWhom {
  at: number;
  actor_id: number | null;
  actor: string;
  network: string | null;
}

interface Row {
  action: AuditAction;
  target_id: number | null;
  target: string;
  detail: string;
  search_key: string;
}

/** Of thousands at once most say the same of many people: each text is folded once. */
function rowMaker({ at, actor, network }: ByWhom): (entry: NewEntry) => Row {
  const day = new Date(at).toISOString().slice(0, 10);
  const known = new Map<string, string>();
  const fold = (text: string): string => {
    const folded = known.get(text) ?? foldCase(text);
    known.set(text, folded);
    return folded;
  };
  return ({ action, person, on = '', detail = '' }) => {
    const target = cut(on, MAX_TARGET);
    const said = cut(detail, MAX_DETAIL);
    const words = [AUDIT_ACTIONS[action], action, actor, network ?? '', target, said, day];
    return {
      action,
      target_id: person ?? null,
      target,
      detail: said,
      search_key: fold(words.join('\n')),
    };
  };
}

/** In their order. One parameter: reading the text of a statement with thousands takes long. */
async function insertMany(
  rows: readonly Row[],
  { at, actor_id, actor, network }: ByWhom,
  transaction: Transaction<Tables>,
): Promise<void> {
  const values = rows.map(({ action, target_id, target, detail, search_key }) => [
    action,
    target_id,
    target,
    detail,
    search_key,
  ]);
  await sql`insert into audit_entries
      (at, actor_id, actor, network, action, target_id, target, detail, search_key)
    select cast(${at} as bigint), cast(${actor_id} as bigint), cast(${actor} as text), cast(${network} as text),
      value->>0, cast(value->>1 as bigint), value->>2, value->>3, value->>4
    from ${tableOfList(values)} order by cast(key as bigint)`.execute(transaction);
}
