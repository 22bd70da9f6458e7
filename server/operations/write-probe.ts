/** Tests that the installation can write: with a full disk, reads still work. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unfinishedPath } from '../db/backup/leftovers';
import { isReadOnly } from '../db/engines/readiness';
import { describeFaultCode, isWriteRejection } from '../db/errors';
import { HEALTH_PROBE, writeSetting } from '../db/settings';
import { describeError } from '../lib/log';
import type { Services } from '../services';

/** PostgreSQL, appendix A: read_only_sql_transaction. */
const READ_ONLY_CODE = '25006';
const PROBE_EVERY_MS = 10_000;
/** SQLite's log has less space in reserve. */
const PROBE_BYTES = Buffer.alloc(256 * 1024);

/** Error codes of files. */
const UNWRITABLE_CODES = /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|ENOENT)$/;

/** Callers within ten seconds share one result. Rejects if the database does not respond. */
export function createWriteProbe(
  services: Pick<Services, 'db' | 'config' | 'now' | 'log'>,
): () => Promise<boolean> {
  let lastProbe: { at: number; canWrite: boolean } | undefined;

  async function probeWrite(): Promise<boolean> {
    const { db, config, now, log } = services;
    try {
      await writeSetting(HEALTH_PROBE, String(now()), db);
      // SQLite overwrites its log; only a new file needs space.
      if (config.databaseUrl === undefined) await writeFileIn(config.dataDir);
      return true;
    } catch (error) {
      if (!isWriteRejection(error) && !UNWRITABLE_CODES.test(describeFaultCode(error))) {
        if (describeFaultCode(error).startsWith('SQLITE_BUSY')) return true;
        throw error;
      }
      log.error('database rejects writes', describeError(error));
      return false;
    }
  }

  let reportedAt: number | undefined;
  const reportReadOnly = (): void => {
    const { now, log } = services;
    if (reportedAt !== undefined && Math.abs(now() - reportedAt) < PROBE_EVERY_MS) return;
    reportedAt = now();
    log.error('database rejects writes', { code: READ_ONLY_CODE });
  };

  return async () => {
    const { db, now } = services;
    // The probe asks each time: after a failover, it must see the new primary.
    if (await isReadOnly(db)) {
      reportReadOnly();
      return false;
    }
    if (lastProbe === undefined || Math.abs(now() - lastProbe.at) >= PROBE_EVERY_MS)
      lastProbe = { at: now(), canWrite: await probeWrite() };
    return lastProbe.canWrite;
  };
}

async function writeFileIn(folder: string): Promise<void> {
  const file = unfinishedPath(join(folder, 'health'));
  try {
    await writeFile(file, PROBE_BYTES, { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}
