/** Puts a backup in the place of the embedded database's contents, while servers use it. */
import { existsSync, readdirSync, rmSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { LOCK_WAIT_MILLISECONDS, copyInto } from './backup';
import { BackupError, asFault, isDamage } from './backup-fault';
import { DATABASE, openFile } from '../engines/embedded';
import { examine, readSteps, tablesOf, takeCopy } from './examine';
import { removeLeftovers, unfinished } from './leftovers';
import { AUDIT_KEPT_SINCE, LAST_BACKUP } from '../settings';
import { isKnownStep, migrate } from '../migrate';

export interface Restored {
  /** Where all that was there before is now; undefined if there was nothing. */
  before: string | undefined;
  /** Whether the backup had a checksum. Without one, a changed letter in a text goes unnoticed. */
  verified: boolean;
}

/**
 * Puts the contents of a backup in the place of all that is there, in one transaction: running
 * servers see either the old or the new. What was there is kept in a backup of its own, made under
 * the same lock, so nothing is lost in between. What a restore must not bring back, it does not:
 * everybody has to sign in again, because a session that was ended since the backup would be valid
 * once more, and mailed links do not work a second time. The backup may be of an older version.
 * Without a database in `dataDir` one is made.
 * @throws BackupError if anything is wrong with the file, or stands in the way. Nothing was changed
 * then
 */
export async function restore(dataDir: string, file: string): Promise<Restored> {
  tidy(dataDir);
  const isNew = !existsSync(dataDir);
  const folder = unfinished(join(dataDir, 'restore'));
  try {
    const verified = takeCopy(file, folder, dataDir);
    await examine(folder);
    return { verified, before: await replaceAll(dataDir, join(folder, DATABASE)) };
  } catch (error) {
    throw asFault(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (isNew && existsSync(dataDir) && readdirSync(dataDir).length === 0) rmdirSync(dataDir);
  }
}

/** Removes what commands that were killed left in the folder. */
export function tidy(dataDir: string): void {
  removeLeftovers(dataDir);
}

async function replaceAll(dataDir: string, copy: string): Promise<string | undefined> {
  const main = join(dataDir, DATABASE);
  const existed = existsSync(main);
  try {
    if (existed) refuseNewer(main);
    await migrate({ dataDir });
    const database = openFile(main, LOCK_WAIT_MILLISECONDS);
    try {
      const before = existed ? nameFor(dataDir) : undefined;
      replace(database, copy, () => before && keep(main, before));
      return before;
    } finally {
      database.close();
    }
  } catch (error) {
    if (isDamage(error)) throw new BackupError('damaged-database', String(error));
    throw error;
  }
}

function refuseNewer(main: string): void {
  const database = new Database(main, { timeout: LOCK_WAIT_MILLISECONDS });
  try {
    if (!readSteps(database).every(isKnownStep)) throw new BackupError('newer-database');
  } finally {
    database.close();
  }
}

/**
 * A backup by a second connection: SQLite makes none inside the transaction that keeps others from
 * writing.
 */
function keep(main: string, file: string): void {
  const beside = new Database(main, { timeout: LOCK_WAIT_MILLISECONDS });
  try {
    copyInto(beside, file);
  } finally {
    beside.close();
  }
}

const nameFor = (dataDir: string): string =>
  join(dataDir, `before-restore.${new Date().toISOString().replace(/:/g, '-')}.db`);

/** What was so whatever the backup says. */
interface WhatStays {
  /** Sessions that were signed out, with their devices. */
  ended: [session: string, user: number, endsAt: number][];
  revoked: [hash: string, at: number][];
  /** Recovery codes that were used. */
  used: [at: number, user: number, hash: string][];
  lastBackup: string | undefined;
}

function readWhatStays(database: Database.Database): WhatStays {
  const ended = database
    .prepare('select session_id as session, user_id as user, ends_at as "end" from ended_sessions')
    .all([]) as { session: string; user: number; end: number }[];
  const revoked = database.prepare('select hash, revoked_at as "at" from revoked_keys').all([]) as {
    hash: string;
    at: number;
  }[];
  const used = database
    .prepare(
      'select used_at as "at", user_id as user, hash from recovery_codes where used_at is not null',
    )
    .all([]) as { at: number; user: number; hash: string }[];
  const [kept] = database
    .prepare('select value from settings where name = ?')
    .all([LAST_BACKUP]) as { value: string }[];
  return {
    ended: ended.map(({ session, user, end }) => [session, user, end]),
    revoked: revoked.map(({ hash, at }) => [hash, at]),
    used: used.map(({ at, user, hash }) => [at, user, hash]),
    lastBackup: kept?.value,
  };
}

/**
 * A device that was signed out since the backup, as it was lost or stolen, must not come back, nor
 * must a key that was revoked; and a recovery code works once.
 */
function putBack(
  database: Database.Database,
  { ended, revoked, used, lastBackup }: WhatStays,
): void {
  const end = database.prepare(
    'insert or ignore into ended_sessions (session_id, user_id, ends_at) select ?, id, ? from users where id = ?',
  );
  for (const [session, user, endsAt] of ended) end.run([session, endsAt, user]);
  database.exec(`delete from devices where session_id in (select session_id from ended_sessions)`);
  for (const table of ['device_preferences', 'device_reach'])
    database.exec(`delete from ${table} where device_id not in (select id from devices)`);
  const revoke = database.prepare(
    'insert or ignore into revoked_keys (hash, revoked_at) values (?, ?)',
  );
  for (const [hash, at] of revoked) revoke.run([hash, at]);
  database.exec('delete from topic_keys where hash in (select hash from revoked_keys)');
  const use = database.prepare(
    'update recovery_codes set used_at = ? where user_id = ? and hash = ?',
  );
  for (const [at, user, hash] of used) use.run([at, user, hash]);
  if (lastBackup === undefined) return;
  database
    .prepare('insert or replace into settings (name, value) values (?, ?)')
    .run([LAST_BACKUP, lastBackup]);
}

/**
 * Then what the audit log tells of since the backup stays. Each installation has a Web Push key of
 * its own, and people's ids mean nothing in another.
 */
function isSameInstallation(database: Database.Database): boolean {
  const found = database
    .prepare(
      `select 1 from main.settings a join backup.settings b using (name, value) where name = 'vapid'`,
    )
    .all([]);
  return found.length > 0;
}

/**
 * @param database has all tables, as they are in `copy`, which stays attached as `backup`
 * @param keepWhatIsThere while nobody else can write
 */
export function replace(
  database: Database.Database,
  copy: string,
  keepWhatIsThere: () => void,
): void {
  // Whole tables come and go: references hold again at the end, and following each until then takes
  // long.
  database.pragma('foreign_keys=OFF');
  database.prepare('attach ? as backup').run([copy]);
  database.exec('begin immediate');
  try {
    keepWhatIsThere();
    const [{ newest }] = database
      .prepare('select coalesce(max(session_version), 0) as newest from users')
      .all([]) as [{ newest: number }];
    const stays = readWhatStays(database);
    const keepsAudit = isSameInstallation(database);
    // Those of another installation are not refused to go; the backup's own setting comes with it.
    if (!keepsAudit)
      database.exec(
        `insert or replace into settings (name, value) values ('${AUDIT_KEPT_SINCE}', '${Number.MAX_SAFE_INTEGER}')`,
      );
    // Ids are never used again: `sqlite_sequence` is left as it is, and only grows.
    for (const [name, columns] of tablesOf(database)) {
      const all = columns.join();
      const keeps = keepsAudit && name === 'audit_entries';
      if (!keeps) database.exec(`delete from main.${name}`);
      database.exec(
        `insert ${keeps ? 'or ignore' : ''} into main.${name} (${all}) select ${all} from backup.${name}`,
      );
    }
    database.exec(`update users set session_version = max(session_version, ${newest}) + 1`);
    database.exec(`delete from one_time_tokens where purpose <> 'registration'`);
    database.exec('delete from email_changes');
    // The backup may be of an installation with another secret, and its mails were asked for long
    // ago.
    database.exec(`delete from settings where name = 'jwt-secret-fingerprint'`);
    database.exec(`delete from jobs where kind like 'mail-%'`);
    database.exec(`update invitations set mail = 'none' where mail = 'waiting'`);
    putBack(database, stays);
    database.exec('commit');
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    throw error;
  }
}
