/** Who did what to whom, when and from which network. Triggers reject changes and removals. */
import type { Generated } from 'kysely';

/** People are ids without references, so a deletion removes their name without changing entries. */
export interface AuditEntriesTable {
  id: Generated<number>;
  at: number;
  /** The action's name, such as `user.role` (`src/shared/audit-actions.ts`). */
  action: string;
  /** The account that acted; null if none did. */
  actor_id: number | null;
  /** Names an actor that has no account: `key: NAME`, `command line`. Otherwise empty. */
  actor: string;
  /** The caller's network, such as `203.0.113.0/24`; null without a request. */
  network: string | null;
  target_id: number | null;
  /** The title or name of a target that is not an account. */
  target: string;
  detail: string;
  /** The message that the entry is about, which may be deleted meanwhile. */
  message_id: Generated<string | null>;
  /** All that is shown but people's names, case-folded, and the day such as 2026-11-20. */
  search_key: string;
}

/** Repeated actions of a person that are counted until one entry reports the number. */
export interface AuditRepeatsTable {
  /** A hash of the person, the action and its target. */
  key: string;
  actor_id: number;
  action: string;
  network: string | null;
  target_id: number | null;
  target: string;
  detail: string;
  /** Actions since `untold_since` that have no audit entry yet. */
  untold: number;
  untold_since: number;
}
