import { setTimeout as wait } from 'node:timers/promises';
import { Migrator } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { DatabaseUnavailable, databaseFault, faultCode, refusalOf } from './errors';
import { createTables } from './migrations/001-tables';
import { limitRates } from './migrations/002-rate-limits';
import { indexSearches } from './migrations/003-search';
import { rememberRequests } from './migrations/004-requests';
import { keepTotals } from './migrations/005-totals';
import { separateServices } from './migrations/006-push-services';
import { keepJobs } from './migrations/008-jobs';
import { knowClients } from './migrations/010-known-clients';
import { keepOneLink } from './migrations/011-one-link';
import { rememberRepeats } from './migrations/012-repeats';
import { keepLedger } from './migrations/013-ledger';
import { keepReach } from './migrations/014-reach';
import { keepEscalation } from './migrations/015-escalation';
import { keepKeys } from './migrations/016-keys';
import { changeEmails } from './migrations/017-account';
import { keepInvitations } from './migrations/018-invitations';
import { keepSignIns } from './migrations/019-sign-in';
import { keepAudit } from './migrations/020-audit';
import { openDatabase } from './open';
import type { Database, DatabaseConfig, Engine } from './open';

/** One step of the data model. Steps are never edited once released; a change is a new step. */
export type Step = (db: Kysely<unknown>, engine: Engine) => Promise<void>;

const steps: Record<string, Step> = {
  '001-tables': createTables,
  '002-rate-limits': limitRates,
  '003-search': indexSearches,
  '004-requests': rememberRequests,
  '005-totals': keepTotals,
  '006-push-services': separateServices,
  '008-jobs': keepJobs,
  '010-known-clients': knowClients,
  '011-one-link': keepOneLink,
  '012-repeats': rememberRepeats,
  '013-ledger': keepLedger,
  '014-reach': keepReach,
  '015-escalation': keepEscalation,
  '016-keys': keepKeys,
  '017-account': changeEmails,
  '018-invitations': keepInvitations,
  '019-sign-in': keepSignIns,
  '020-audit': keepAudit,
};

/** Whether this version has the migration: an older one has not. */
export const isKnownStep = (name: string): boolean => name in steps;

/** How long to wait while another process migrates (a large table may need its time). */
const PATIENCE_MILLISECONDS = 60_000;
const RETRY_MILLISECONDS = 50;

/**
 * Brings the tables up to date, on a connection of its own: indexing a large table takes longer
 * than any statement may otherwise. Safe to call from several processes at once: one of them does
 * the work (holding SQLite's write lock or a PostgreSQL advisory lock), the others wait for it and
 * find nothing left to do.
 */
export async function migrate(config: DatabaseConfig): Promise<void> {
  const { db, engine, close } = openDatabase({ ...config, statementLimit: 0 });
  try {
    await runSteps(db, engine);
  } finally {
    await close();
  }
}

async function runSteps(db: Database, engine: Engine): Promise<void> {
  const migrations: Record<string, Migration> = {};
  for (const [name, step] of Object.entries(steps))
    migrations[name] = { up: (into) => step(into, engine) };
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  });
  const patientUntil = Date.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    if (!isLocked(error) || Date.now() > patientUntil) throw error;
    await wait(RETRY_MILLISECONDS);
  }
}

/**
 * Somebody else is at it. A database that cannot be reached or refuses us at all is better reported
 * at once.
 */
const isLocked = (error: unknown): boolean =>
  databaseFault(error) === 'unavailable' &&
  !(error instanceof DatabaseUnavailable) &&
  refusalOf(error) === undefined &&
  !/^(53|57P)/.test(faultCode(error));
