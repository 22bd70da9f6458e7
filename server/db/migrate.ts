import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import type { Transaction } from 'kysely';
import { EmbeddedDialect } from './engines/embedded';
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
import { prepareForSize } from './migrations/021-size';
import { nameOwners } from './migrations/024-owners';
import { countOutcomes } from './migrations/026-outcomes';
import { addRepeatStates } from './migrations/027-repeat-states';
import { keepLimits } from './migrations/030-limits';
import { keepPushOutcomes } from './migrations/031-push-outcomes';
import { tellHeldBack } from './migrations/032-held-back';
import { openDatabase } from './open';
import type { Database, DatabaseConfig, Engine } from './open';
import type { Tables } from './schema';

/** One step of the data model. Steps are never edited once released; a change is a new step. */
export type Step = (db: Kysely<unknown>, engine: Engine) => Promise<void>;

/** In their order. */
export type Steps = Readonly<Record<string, Step>>;

export const steps: Steps = {
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
  '021-size': prepareForSize,
  '024-owners': nameOwners,
  '027-repeat-states': addRepeatStates,
  '026-outcomes': countOutcomes,
  '030-limits': keepLimits,
  '031-push-outcomes': keepPushOutcomes,
  '032-held-back': tellHeldBack,
};

/** Whether this version has the migration: an older one has not. */
export const isKnownStep = (name: string): boolean => name in steps;

/**
 * Where it is noted which steps a database has taken: those until 020 where Kysely's migrator looks
 * for them, by which versions until then were brought up to date, and which refuses a step that it
 * does not know; all later ones beside them. So such a version starts on a database that a later one
 * has brought up to date.
 */
export const NOTED_IN = ['kysely_migration', 'kysely_migration_since_021'] as const;
const notedIn = (name: string): string => (name < '021' ? NOTED_IN[0] : NOTED_IN[1]);

/** How long to wait while another process migrates (a large table may need its time). */
const PATIENCE_MILLISECONDS = 60_000;
const RETRY_MILLISECONDS = 50;

/** That of Kysely's migrator, so that a process of a version with it waits, too. */
const LOCK = '3853314791062309107';

/**
 * Brings the tables up to date, on a connection of its own: indexing a large table takes longer
 * than any statement may otherwise. Safe to call from several processes at once: one of them does
 * the work, the others wait for it and find nothing left to do. Steps that only a later version knows
 * are left as they are: steps are additive, so the version before works with them.
 */
export async function migrate(config: DatabaseConfig, all = steps): Promise<void> {
  const { db, engine, close } = openDatabase({ ...config, statementLimit: 0 });
  const patientUntil = Date.now() + PATIENCE_MILLISECONDS;
  try {
    for (;;) {
      try {
        return await takeSteps(db, engine, all);
      } catch (error) {
        if (!isLocked(error) || Date.now() > patientUntil) throw error;
        await wait(RETRY_MILLISECONDS);
      }
    }
  } finally {
    await close();
  }
}

/** As `migrate`, of an open database of the embedded engine, such as one in memory. */
export function migrateEmbedded(
  database: ConstructorParameters<typeof EmbeddedDialect>[0],
): Promise<void> {
  return takeSteps(new Kysely<Tables>({ dialect: new EmbeddedDialect(database) }), 'sqlite', steps);
}

/**
 * All in one transaction, which holds the lock, too: SQLite's write lock, or an advisory lock of
 * PostgreSQL that ends with it. One of the session would be left behind, or not be one's own, where
 * a pooler gives each transaction another connection.
 */
async function takeSteps(db: Database, engine: Engine, all: Steps): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (engine === 'postgres')
      await sql`select pg_advisory_xact_lock(${sql.raw(LOCK)})`.execute(transaction);
    const taken = await readTaken(transaction);
    for (const [name, step] of pending(all, taken)) {
      await step(transaction as unknown as Kysely<unknown>, engine);
      await sql`insert into ${sql.table(notedIn(name))} (name, timestamp)
        values (${name}, ${new Date().toISOString()})`.execute(transaction);
    }
  });
}

async function readTaken(transaction: Transaction<Tables>): Promise<Set<string>> {
  const taken = new Set<string>();
  for (const table of NOTED_IN) {
    await sql`create table if not exists ${sql.table(table)}
      (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
      transaction,
    );
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(
      transaction,
    );
    for (const { name } of rows) taken.add(name);
  }
  return taken;
}

/** @throws if one is missing among those that were taken: it was not made by us */
function pending(all: Steps, taken: ReadonlySet<string>): [name: string, step: Step][] {
  const entries = Object.entries(all);
  const first = entries.findIndex(([name]) => !taken.has(name));
  const left = first === -1 ? [] : entries.slice(first);
  const odd = left.find(([name]) => taken.has(name));
  if (odd !== undefined)
    throw new Error(`corrupted migrations: ${left[0]?.[0]} is missing before ${odd[0]}`);
  return left;
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
