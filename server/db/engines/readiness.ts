/** Waits for a database that is not up yet, such as after a power cut. */
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { isOnPostgres } from '../lock';
import type { Tables } from '../schema';
import { DatabaseUnavailableError, databaseFault, errorCode, findRejection } from '../errors';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;

/** Whether the database is read-only, as a standby is. Rejects if it does not respond. */
export async function isReadOnly(db: Kysely<Tables>): Promise<boolean> {
  if (!isOnPostgres(db)) return false;
  const { rows } = await sql<{
    value: string;
  }>`select current_setting('transaction_read_only') as value`.execute(db);
  return rows[0]?.value === 'on';
}

export interface DatabaseWait {
  /** Receives the cause of each wait. */
  onWait(error: unknown): void;
  /** Tests replace the pause. */
  pause?(milliseconds: number): Promise<unknown>;
}

/** Retries while the database is unreachable; throws at once what waiting cannot fix. */
export async function retryUntilReachable<Result>(
  work: () => Promise<Result>,
  { onWait, pause = wait }: DatabaseWait,
): Promise<Result> {
  for (
    let milliseconds = FIRST_PAUSE_MS;
    ;
    milliseconds = Math.min(milliseconds * 2, MAX_PAUSE_MS)
  ) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      onWait(error);
      await pause(milliseconds);
    }
  }
}

/** A file that cannot be opened stays so, unless another process has locked it. */
function isTemporary(error: unknown): boolean {
  if (databaseFault(error) !== 'unavailable' || findRejection(error) !== undefined) return false;
  if (error instanceof DatabaseUnavailableError) return true;
  return /^(SQLITE_(BUSY|LOCKED)|\d)/.test(errorCode(error));
}
