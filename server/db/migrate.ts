import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, Migrator, sql } from 'kysely';
import type { Migration } from 'kysely';
import { EmbeddedDialect } from './engines/embedded';
import { UnreleasedDatabaseError, describeFaultCode, isDeadlock } from './errors';
import { createFirstTables } from './migrations/001-first';
import { createInsights } from './migrations/002-insights';
import { addMessageFilters } from './migrations/003-message-filters';
import { addSuspensionColumn } from './migrations/004-suspension';
import { createTeamsAndSenders } from './migrations/005-teams-and-senders';
import { addPhoneLinkColumns } from './migrations/006-phone-links';
import { addLanguageColumns } from './migrations/007-languages';
import { createCheckIns } from './migrations/008-check-ins';
import { createMakesOfParts } from './migrations/009-makes-of-parts';
import { addSenderViewColumn } from './migrations/010-senders-view';
import { createTranslations } from './migrations/011-translations';
import { createHeartbeats } from './migrations/012-heartbeats';
import { addCommentColumn } from './migrations/013-comments';
import { addRevisionColumns } from './migrations/014-revisions';
import { addThrottleColumns } from './migrations/015-throttles';
import { createPasskeys } from './migrations/016-passkeys';
import { addAllClearAuthorColumn } from './migrations/017-all-clear-by';
import { addRecordColumns } from './migrations/018-records';
import { addStepsByMessageIndex } from './migrations/019-steps-by-message';
import { addDisplayedRevisionColumns } from './migrations/020-displayed-revisions';
import { addUnreadAgainColumn } from './migrations/021-unread-again';
import { addCheckInEndColumns } from './migrations/022-check-in-ends';
import { addHelpAnswersColumn } from './migrations/023-help-answers';
import { watchOpenAlarms } from './migrations/024-watch-open-alarms';
import { addTemplateHelpAnswersColumn } from './migrations/025-template-help-answers';
import { openDatabase } from './open';
import type { Database, DatabaseConfig } from './open';
import type { Tables } from './schema';

/** Migrations by name. A released one is never edited and only adds, for the previous version. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-first': { up: createFirstTables },
  '002-insights': { up: createInsights },
  '003-message-filters': { up: addMessageFilters },
  '004-suspension': { up: addSuspensionColumn },
  '005-teams-and-senders': { up: createTeamsAndSenders },
  '006-phone-links': { up: addPhoneLinkColumns },
  '007-languages': { up: addLanguageColumns },
  '008-check-ins': { up: createCheckIns },
  '009-makes-of-parts': { up: createMakesOfParts },
  '010-senders-view': { up: addSenderViewColumn },
  '011-translations': { up: createTranslations },
  '012-heartbeats': { up: createHeartbeats },
  '013-comments': { up: addCommentColumn },
  '014-revisions': { up: addRevisionColumns },
  '015-throttles': { up: addThrottleColumns },
  '016-passkeys': { up: createPasskeys },
  '017-all-clear-by': { up: addAllClearAuthorColumn },
  '018-records': { up: addRecordColumns },
  '019-steps-by-message': { up: addStepsByMessageIndex },
  '020-displayed-revisions': { up: addDisplayedRevisionColumns },
  '021-unread-again': { up: addUnreadAgainColumn },
  '022-check-in-ends': { up: addCheckInEndColumns },
  '023-help-answers': { up: addHelpAnswersColumn },
  '024-watch-open-alarms': { up: watchOpenAlarms },
  '025-template-help-answers': { up: addTemplateHelpAnswersColumn },
};

/** Kysely's table of the steps that a database has. */
export const MIGRATIONS_TABLE = 'kysely_migration';

/** The first step before the first release. */
const UNRELEASED = '001-tables';

export const isUnreleased = (appliedSteps: readonly string[]): boolean =>
  appliedSteps.includes(UNRELEASED);

/** Whether a later Fieldbell version has changed the database. */
export const isLater = (appliedSteps: readonly string[]): boolean =>
  !isUnreleased(appliedSteps) && appliedSteps.some((name) => !(name in migrations));

const MIGRATION_WAIT_MS = 60_000;
const RETRY_EVERY_MS = 50;

/** An arbitrary key for PostgreSQL's advisory lock. */
const MIGRATION_LOCK_KEY = 3853314791062309;

/**
 * Brings the tables up to date, on its own connection without a time limit for statements. Several
 * processes may call it: one migrates, the others wait.
 * @throws UnreleasedDatabase
 */
export async function migrate(config: DatabaseConfig, steps = migrations): Promise<void> {
  const { db, close } = openDatabase({
    ...config,
    statementLimit: 0,
    transactionLock: MIGRATION_LOCK_KEY,
  });
  const patientUntil = Date.now() + MIGRATION_WAIT_MS;
  try {
    for (;;) {
      try {
        return await applySteps(db, steps);
      } catch (error) {
        if (!isLocked(error) || Date.now() > patientUntil) throw error;
        await wait(RETRY_EVERY_MS);
      }
    }
  } finally {
    await close();
  }
}

/** Migrates an open embedded database, such as one in memory. */
export function migrateEmbedded(
  database: ConstructorParameters<typeof EmbeddedDialect>[0],
): Promise<void> {
  return applySteps(new Kysely<Tables>({ dialect: new EmbeddedDialect(database) }), migrations);
}

async function applySteps(db: Database, steps: typeof migrations): Promise<void> {
  const isMigrated = async (): Promise<boolean> => {
    const appliedSteps = await readAppliedSteps(db);
    if (isUnreleased(appliedSteps)) throw new UnreleasedDatabaseError();
    return Object.keys(steps).every((name) => appliedSteps.includes(name));
  };
  // Kysely rejects unknown steps, such as those of a later version.
  if (await isMigrated()) return;
  const provider = { getMigrations: () => Promise.resolve({ ...steps }) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined && !(await isMigrated())) throw error;
}

/** The steps that a database has; none if it is not ours. */
export async function readAppliedSteps(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === MIGRATIONS_TABLE)) return [];
  const { rows } = await sql<{
    name: string;
  }>`select name from ${sql.table(MIGRATIONS_TABLE)}`.execute(db);
  return rows.map(({ name }) => name);
}

const isLocked = (error: unknown): boolean =>
  isDeadlock(error) || /^SQLITE_(BUSY|LOCKED)/.test(describeFaultCode(error));
