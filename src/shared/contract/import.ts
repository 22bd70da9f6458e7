/** Adding many people at once, and inviting them. Types only. */
import type { Page, PageQuery, Timestamp } from './common';

/** Somebody who has not registered yet, with the link that they need for it. */
export interface Invitation {
  /** Of the person. */
  id: number;
  username: string;
  email: string | null;
  /** Works once, until `expiresAt`. */
  registrationLink: string;
  expiresAt: Timestamp;
  /**
   * What became of the mail with the link: `none` was asked for; it is `waiting` for its turn, or to
   * be tried again; `sent`; or `failed`, as the address was refused or no mail server took it for a
   * day.
   */
  mail: 'none' | 'waiting' | 'sent' | 'failed';
  /** When a browser first showed the page that the link leads to. */
  openedAt: Timestamp | null;
  /** Null for who was added one by one. */
  importedAt: Timestamp | null;
}

/** What came of a file, or would come of it. */
export interface Imported {
  /** People in it: all lines but the heading and empty ones. */
  rows: number;
  created: number;
  /** So many subscriptions are new, of those who existed before, too. */
  subscribed: number;
  /** Of so many people nothing was new. */
  unchanged: number;
  /** By line, one for each; `line` is where the record begins in the file, from 1. With any, nothing is changed. */
  errors: { line: number; message: string }[];
  /** Of those who are new, in the order of the file; none in a dry run. */
  links: Invitation[];
  /** Only then there: no mail server is set up, so that no invitation leaves by mail. */
  mail?: 'not_set_up';
}

export interface InvitationPage extends Page {
  invitations: Invitation[];
  /** All who have not registered, whatever was asked for. */
  pending: number;
  /** So many of them have no e-mail address. */
  withoutEmail: number;
  /** How far the newest import is; null if there was none. */
  newest: {
    importedAt: Timestamp;
    people: number;
    registered: number;
    mails: { waiting: number; sent: number; failed: number };
  } | null;
  /** Only then there: no mail server is set up, so that no invitation leaves by mail. */
  mail?: 'not_set_up';
}

export interface ImportCalls {
  /**
   * Adds all people of a CSV file (`text/csv`, to 2 MiB and 10,000 people), or nobody. Its first line
   * names the columns: `username`, and in any order `email`, `role` (CUSTOMER if empty) and `topics`
   * (by title, `;` between). Who exists is only subscribed; so the same file again changes nothing.
   * Another role or e-mail address than somebody has is an error. Who is new and has an address gets
   * a mail with their link. Errors answer 200 in a dry run, else 400 with an `error` beside all that
   * `Imported` has. What is no such file is 400 with a sentence alone.
   */
  'POST /api/admin/import': {
    body: string;
    /** `dryRun=true` only checks. `topicId`: all of them are subscribed to it besides. */
    query: { dryRun?: boolean; topicId?: number };
    answer: Imported;
  };
  /**
   * Who has not registered yet, by id. A link that has expired is made anew. `ids`: only those people
   * (to 100, commas between); `mail=none`: only who has no e-mail address.
   */
  'GET /api/admin/invitations': {
    query: PageQuery & { ids?: string; mail?: 'none' };
    answer: InvitationPage;
  };
}
