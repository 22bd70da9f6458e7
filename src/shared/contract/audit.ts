/** The audit log: who did what to whom, when and from which network. Types only. */
import type { Page, PageQuery, Timestamp } from './common';

/** Nothing changes or removes one before its time is over. */
export interface AuditEntry {
  id: number;
  at: Timestamp;
  /**
   * A username, `deleted user 17`, `key: NAME`, `command line`, `unknown` where a sign-in failed, or
   * `Fieldbell` for what nobody asked for.
   */
  actor: string;
  /** Dotted, such as `user.role`. There may be more of them in later versions. */
  action: string;
  /** A username, `deleted user 17`, or the title or name of a thing; empty for some actions. */
  target: string;
  /** Empty for some actions. */
  detail: string;
  /** The /24 of an IPv4 address or the /48 of an IPv6 address; null where no request asked for it. */
  network: string | null;
}

export interface AuditPage extends Page {
  entries: AuditEntry[];
  /** Only so many, the newest, were looked through; left out where all were. */
  searched?: number;
  /** For how many days an entry is kept. */
  keptDays: number;
}

export interface AuditCalls {
  /** The newest first. A search looks for every word, in any order, in all columns. */
  'GET /api/admin/audit': { query: PageQuery; answer: AuditPage };
  /**
   * All that a search finds as RFC 4180 CSV, the newest first, with a heading:
   * `at,actor,action,target,detail,network`. A cell that a spreadsheet would calculate begins with an
   * apostrophe. That it was asked for is an entry itself.
   */
  'GET /api/admin/audit.csv': { query: { query?: string }; answer: string };
}
