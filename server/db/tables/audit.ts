/** Who did what to whom, when and from which network. Triggers refuse to change or remove a row. */
import type { Generated } from 'kysely';

/**
 * People are named by their ids alone, which are never used again, and refer to nothing: so a
 * deletion takes a name out of all entries, and changes none of them.
 */
export interface AuditEntriesTable {
  id: Generated<number>;
  at: number;
  /** Such as `user.role` (`src/shared/audit-actions.ts`). */
  action: string;
  /** The account that did it; null where that was none. */
  actor_id: number | null;
  /** Who did it, where that was no account: `key: NAME`, `command line`. Else empty. */
  actor: string;
  /** Such as `203.0.113.0/24`; null for what no request asked for. */
  network: string | null;
  /** The account that it was done to. */
  target_id: number | null;
  /** What it was done to, where that was no account: a title, a name. */
  target: string;
  detail: string;
  /** All that is shown of it but the names of people, folded, and the day such as 2026-11-20. */
  search_key: string;
}

/** What one person did so often that it was only counted, until one entry tells the number. */
export interface AuditRepeatsTable {
  /** A hash of the person, the action and what it is done to. */
  key: string;
  actor_id: number;
  action: string;
  network: string | null;
  target_id: number | null;
  target: string;
  detail: string;
  untold: number;
  untold_since: number;
}
