/** Replaces the contents of the embedded database with a backup while servers use it. */
import { existsSync, linkSync, readdirSync, rmSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { LOCK_WAIT_MS, copyIntoFile, writeSettingInFile } from './backup';
import { BackupError, toBackupError, isDamage } from './backup-fault';
import { SQLITE_FILE_NAME, openFile } from '../engines/embedded';
import { examineAndMigrate, readSteps, readTableColumns, copyBackup } from './examine';
import { removeLeftovers, unfinishedPath } from './leftovers';
import {
  ADMINISTRATORS_LEFT_SQL,
  REVOKE_SESSIONS_AND_LINKS,
  APPLY_ENDED_ACCESS,
  DELETED_PEOPLE,
  ENDED_ACCESS_LISTS,
  NOTHING_ENDED,
  snapshotAccess,
} from './access-since-backup';
import type { EndedAccess } from './access-since-backup';
import type { DeletedPerson } from '../jobs/kinds';
import { AUDIT_KEPT_SINCE, LAST_BACKUP } from '../settings';
import { isLater, migrate } from '../migrate';

/** Whether access revoked since the backup stays revoked, is restored, or is only listed. */
export type EndedAccessChoice = 'apply' | 'bring-back' | 'list';

interface ReplacementResult {
  /** The list is empty if the backup is of another installation. */
  ended: EndedAccess;
  /** People in the backup who were deleted since. */
  deleted: DeletedPerson[];
}

interface RestoreResult extends ReplacementResult {
  /** The backup of the replaced contents; undefined if there were none. */
  formerFile: string | undefined;
  /** Whether the backup had a checksum. Without one, a changed letter goes unnoticed. */
  hasChecksum: boolean;
}

/**
 * Replaces all contents with a backup in one transaction, so servers see either the old or the new.
 * The old contents are first backed up under the same lock. Sessions and mailed links always end.
 * An older backup is migrated. Only a whole restore creates a missing database.
 * @throws BackupError and nothing was changed
 */
export async function restoreDatabase(
  dataDir: string,
  file: string,
  endedAccess: EndedAccessChoice = 'apply',
): Promise<RestoreResult> {
  removeLeftovers(dataDir);
  const isNew = !existsSync(dataDir);
  const folder = unfinishedPath(join(dataDir, 'restore'));
  try {
    const verified = copyBackup(file, folder, dataDir);
    await examineAndMigrate(folder);
    const copy = join(folder, SQLITE_FILE_NAME);
    const replacement = existsSync(join(dataDir, SQLITE_FILE_NAME))
      ? await replaceAll(dataDir, copy, endedAccess)
      : await createFrom(copy, dataDir, join(folder, 'new'), endedAccess);
    return { hasChecksum: verified, ...replacement };
  } catch (error) {
    throw toBackupError(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (isNew && existsSync(dataDir) && readdirSync(dataDir).length === 0) rmdirSync(dataDir);
  }
}

async function replaceAll(
  dataDir: string,
  copy: string,
  endedAccess: EndedAccessChoice,
): Promise<ReplacementResult & Pick<RestoreResult, 'formerFile'>> {
  const main = join(dataDir, SQLITE_FILE_NAME);
  try {
    rejectNewer(main);
    await migrate({ dataDir });
    const database = openFile(main, LOCK_WAIT_MS);
    try {
      const formerDatabase = endedAccess === 'list' ? undefined : nameFor(dataDir);
      return {
        formerFile: formerDatabase,
        ...replaceDatabase(
          database,
          copy,
          endedAccess,
          () => formerDatabase && keepCopy(main, formerDatabase),
        ),
      };
    } finally {
      database.close();
    }
  } catch (error) {
    if (isDamage(error)) throw new BackupError('damaged-database', String(error));
    throw error;
  }
}

/** Fills a database beside `dataDir`'s files, which gets its name once it is whole. */
async function createFrom(
  copy: string,
  dataDir: string,
  place: string,
  endedAccess: EndedAccessChoice,
): Promise<ReplacementResult & Pick<RestoreResult, 'formerFile'>> {
  if (endedAccess === 'list') return { formerFile: undefined, ended: NOTHING_ENDED, deleted: [] };
  await migrate({ dataDir: place });
  const database = openFile(join(place, SQLITE_FILE_NAME), LOCK_WAIT_MS);
  try {
    const replacement = replaceDatabase(database, copy, endedAccess, () => undefined);
    database.exec('pragma wal_checkpoint(truncate)');
    // Unlike a rename, a link never replaces a database that a server has created meanwhile.
    linkSync(join(place, SQLITE_FILE_NAME), join(dataDir, SQLITE_FILE_NAME));
    return { formerFile: undefined, ...replacement };
  } finally {
    database.close();
  }
}

function rejectNewer(main: string): void {
  const database = new Database(main, { timeout: LOCK_WAIT_MS });
  try {
    if (isLater(readSteps(database))) throw new BackupError('newer-database');
  } finally {
    database.close();
  }
}

/** Copies by a second connection, because SQLite makes no copy inside the locking transaction. */
function keepCopy(main: string, file: string): void {
  const connection = new Database(main, { timeout: LOCK_WAIT_MS });
  try {
    copyIntoFile(connection, file);
  } finally {
    connection.close();
  }
}

const nameFor = (dataDir: string): string =>
  join(dataDir, `before-restore.${new Date().toISOString().replace(/:/g, '-')}.db`);

/** Foreign keys are off while tables are replaced, so children of deleted rows are removed here. */
function dropOrphans(database: Database.Database): void {
  const references = database
    .prepare(
      `select m.name as child, f."from" as "column", f."table" as parent, f."to" as "key", f.on_delete as rule
       from main.sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'`,
    )
    .all([]) as { child: string; column: string; parent: string; key: string; rule: string }[];
  let changedRows: number;
  do {
    changedRows = 0;
    for (const { child, column, parent, key, rule } of references) {
      const orphanCondition = `where ${column} is not null and ${column} not in (select ${key} from main.${parent})`;
      const change =
        rule === 'SET NULL'
          ? `update main.${child} set ${column} = null`
          : `delete from main.${child}`;
      changedRows += database.prepare(`${change} ${orphanCondition}`).run([]).changes;
    }
  } while (changedRows > 0);
}

function listEnded(database: Database.Database): EndedAccess {
  const kinds = ENDED_ACCESS_LISTS.flatMap(({ kind, statement }) => {
    const rows = database.prepare(statement).all([]) as { name: string }[];
    return rows.length > 0 ? [{ kind, names: rows.map(({ name }) => name) }] : [];
  });
  const administrators = database.prepare(ADMINISTRATORS_LEFT_SQL).all([]);
  return { kinds, leavesNoAdministrator: administrators.length === 0 };
}

/** Each installation has its own Web Push key. Elsewhere, people's ids mean other people. */
function isSameInstallation(database: Database.Database): boolean {
  const rows = database
    .prepare(
      `select 1 from main.settings a join backup.settings b using (name, value) where name = 'vapid'`,
    )
    .all([]);
  return rows.length > 0;
}

/**
 * @param database migrated like `copy`, which stays attached as `backup`
 * @param keepWhatIsThere runs while the database is locked
 */
export function replaceDatabase(
  database: Database.Database,
  copy: string,
  choice: EndedAccessChoice,
  keepWhatIsThere: () => void,
): ReplacementResult {
  // Following each reference while tables are replaced takes long.
  database.pragma('foreign_keys=OFF');
  // Password hashes are noted and must not reach a temporary file.
  database.pragma('temp_store=MEMORY');
  database.prepare('attach ? as backup').run([copy]);
  database.exec('begin immediate');
  try {
    if (choice !== 'list') keepWhatIsThere();
    for (const statement of snapshotAccess()) database.exec(statement);
    const lastBackup = readLastBackup(database);
    const belongsToInstallation = isSameInstallation(database);
    // Lets the triggers allow the removal of another installation's entries.
    if (!belongsToInstallation)
      writeSettingInFile(database, AUDIT_KEPT_SINCE, String(Number.MAX_SAFE_INTEGER));
    // `sqlite_sequence` stays, so that ids are never used again.
    for (const [name, columns] of readTableColumns(database)) {
      const columnList = columns.join();
      const keepsRows = belongsToInstallation && name === 'audit_entries';
      if (!keepsRows) database.exec(`delete from main.${name}`);
      database.exec(
        `insert ${keepsRows ? 'or ignore' : ''} into main.${name} (${columnList}) select ${columnList} from backup.${name}`,
      );
    }
    // The backup may come from an installation with another secret.
    database.exec(`delete from settings where name = 'jwt-secret-fingerprint'`);
    const endedAccess = belongsToInstallation ? listEnded(database) : NOTHING_ENDED;
    let deletedPeople: DeletedPerson[] = [];
    if (belongsToInstallation && choice === 'apply') {
      deletedPeople = database.prepare(DELETED_PEOPLE).all([]) as DeletedPerson[];
      for (const statement of APPLY_ENDED_ACCESS) database.exec(statement);
      dropOrphans(database);
    }
    for (const statement of REVOKE_SESSIONS_AND_LINKS) database.exec(statement);
    if (lastBackup !== undefined) writeSettingInFile(database, LAST_BACKUP, lastBackup);
    database.exec(choice === 'list' ? 'rollback' : 'commit');
    return { ended: endedAccess, deleted: deletedPeople };
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    throw error;
  }
}

function readLastBackup(database: Database.Database): string | undefined {
  const rows = database.prepare('select value from settings where name = ?').all([LAST_BACKUP]);
  return (rows as { value: string }[])[0]?.value;
}
