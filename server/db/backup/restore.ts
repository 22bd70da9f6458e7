/** Puts a backup in the place of the embedded database's contents, while servers use it. */
import { existsSync, readdirSync, rmSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { LOCK_WAIT_MILLISECONDS, copyInto } from './backup';
import { BackupError, asFault, isDamage } from './backup-fault';
import { DATABASE, openFile } from '../engines/embedded';
import { examine, readSteps, tablesOf, takeCopy } from './examine';
import { removeLeftovers, unfinished } from './leftovers';
import {
  ADMINISTRATORS_LEFT,
  ALWAYS_ENDS,
  APPLY,
  DELETED_PEOPLE,
  LISTS,
  NOTHING_ENDED,
  note,
} from './ended';
import type { Ended } from './ended';
import type { Forgotten } from '../jobs/kinds';
import { AUDIT_KEPT_SINCE, LAST_BACKUP } from '../settings';
import { isLater, migrate } from '../migrate';

/**
 * What becomes of all that ended since the backup: it stays ended, or comes back with the backup. A
 * list alone changes nothing.
 */
export type WhatEnded = 'apply' | 'bring-back' | 'list';

interface Replaced {
  /** What ended since the backup; nothing is known of another installation's. */
  ended: Ended;
  /** Who was deleted, and was in the backup. */
  deleted: Forgotten[];
}

export interface Restored extends Replaced {
  /** Where all that was there before is now; undefined if there was nothing. */
  before: string | undefined;
  /** Whether the backup had a checksum. Without one, a changed letter in a text goes unnoticed. */
  verified: boolean;
}

/**
 * Puts the contents of a backup in the place of all that is there, in one transaction: running
 * servers see either the old or the new. What was there is kept in a backup of its own, made under
 * the same lock, so nothing is lost in between. Sessions and mailed links end in any case. The backup
 * may lack the newest steps. Without a database in `dataDir` one is made.
 * @throws BackupError if anything is wrong with the file, or stands in the way. Nothing was changed
 * then
 */
export async function restore(
  dataDir: string,
  file: string,
  what: WhatEnded = 'apply',
): Promise<Restored> {
  tidy(dataDir);
  const isNew = !existsSync(dataDir);
  const folder = unfinished(join(dataDir, 'restore'));
  try {
    const verified = takeCopy(file, folder, dataDir);
    await examine(folder);
    return { verified, ...(await replaceAll(dataDir, join(folder, DATABASE), what)) };
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

async function replaceAll(
  dataDir: string,
  copy: string,
  what: WhatEnded,
): Promise<Replaced & Pick<Restored, 'before'>> {
  const main = join(dataDir, DATABASE);
  const existed = existsSync(main);
  try {
    if (existed) refuseNewer(main);
    await migrate({ dataDir });
    const database = openFile(main, LOCK_WAIT_MILLISECONDS);
    try {
      const before = existed && what !== 'list' ? nameFor(dataDir) : undefined;
      return { before, ...replace(database, copy, what, () => before && keep(main, before)) };
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
    if (isLater(readSteps(database))) throw new BackupError('newer-database');
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

/** Children whose parent is gone, as foreign keys are not followed while whole tables come and go. */
function dropOrphans(database: Database.Database): void {
  const references = database
    .prepare(
      `select m.name as child, f."from" as "column", f."table" as parent, f."to" as "key", f.on_delete as rule
       from main.sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'`,
    )
    .all([]) as { child: string; column: string; parent: string; key: string; rule: string }[];
  let changed: number;
  do {
    changed = 0;
    for (const { child, column, parent, key, rule } of references) {
      const orphans = `where ${column} is not null and ${column} not in (select ${key} from main.${parent})`;
      const change =
        rule === 'SET NULL'
          ? `update main.${child} set ${column} = null`
          : `delete from main.${child}`;
      changed += database.prepare(`${change} ${orphans}`).run([]).changes;
    }
  } while (changed > 0);
}

function listEnded(database: Database.Database): Ended {
  const kinds = LISTS.flatMap(({ kind, statement }) => {
    const rows = database.prepare(statement).all([]) as { name: string }[];
    return rows.length > 0 ? [{ kind, names: rows.map(({ name }) => name) }] : [];
  });
  const left = database.prepare(ADMINISTRATORS_LEFT).all([]);
  return { kinds, leavesNoAdministrator: left.length === 0 };
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
  what: WhatEnded,
  keepWhatIsThere: () => void,
): Replaced {
  // Whole tables come and go: references hold again at the end, and following each until then takes
  // long.
  database.pragma('foreign_keys=OFF');
  // Hashes of passwords are noted, and must not lie in a file of their own.
  database.pragma('temp_store=MEMORY');
  database.prepare('attach ? as backup').run([copy]);
  database.exec('begin immediate');
  try {
    if (what !== 'list') keepWhatIsThere();
    for (const statement of note()) database.exec(statement);
    const lastBackup = readLastBackup(database);
    const isSame = isSameInstallation(database);
    // Those of another installation are not refused to go; the backup's own setting comes with it.
    if (!isSame) write(database, AUDIT_KEPT_SINCE, String(Number.MAX_SAFE_INTEGER));
    // Ids are never used again: `sqlite_sequence` is left as it is, and only grows.
    for (const [name, columns] of tablesOf(database)) {
      const all = columns.join();
      const keeps = isSame && name === 'audit_entries';
      if (!keeps) database.exec(`delete from main.${name}`);
      database.exec(
        `insert ${keeps ? 'or ignore' : ''} into main.${name} (${all}) select ${all} from backup.${name}`,
      );
    }
    // The backup may be of an installation with another secret.
    database.exec(`delete from settings where name = 'jwt-secret-fingerprint'`);
    const ended = isSame ? listEnded(database) : NOTHING_ENDED;
    let deleted: Forgotten[] = [];
    if (isSame && what === 'apply') {
      deleted = database.prepare(DELETED_PEOPLE).all([]) as Forgotten[];
      for (const statement of APPLY) database.exec(statement);
      dropOrphans(database);
    }
    for (const statement of ALWAYS_ENDS) database.exec(statement);
    if (lastBackup !== undefined) write(database, LAST_BACKUP, lastBackup);
    database.exec(what === 'list' ? 'rollback' : 'commit');
    return { ended, deleted };
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    throw error;
  }
}

function readLastBackup(database: Database.Database): string | undefined {
  const rows = database.prepare('select value from settings where name = ?').all([LAST_BACKUP]);
  return (rows as { value: string }[])[0]?.value;
}

function write(database: Database.Database, name: string, value: string): void {
  database
    .prepare('insert or replace into settings (name, value) values (?, ?)')
    .run([name, value]);
}
