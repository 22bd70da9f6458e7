/** What ended since a backup: its list for the operator, and PostgreSQL's access file. */
import { actAs, recordAudit } from '../audit/record-audit';
import { COMMAND_LINE } from '../accounts/operator';
import { addForgetJob } from '../accounts/users';
import type { EndedAccess } from '../db/backup/access-since-backup';
import type { DeletedPerson } from '../db/jobs/kinds';
import { AccessError, applyAccess, saveAccess } from '../db/copy/access-file';
import type { AccessFault } from '../db/copy/access-file';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';
import type { Transaction } from 'kysely';
import type { Tables } from '../db/schema';
import { createSuccess, createFailure, oneLine } from './result';
import type { CommandResult } from './result';

const MAX_LISTED_NAMES = 20;

/** Lines such as `  2 deleted people: ana, ben`. */
export function describeRevoked({ kinds, leavesNoAdministrator }: EndedAccess): string[] {
  if (kinds.length === 0)
    return ['Since the backup, no account was removed, and no access was removed or changed.'];
  return [
    'Accounts and access that were removed or changed since the backup:',
    ...kinds.map(({ kind, names }) => {
      const moreText =
        names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '';
      return `  ${names.length} ${kind[names.length === 1 ? 0 : 1]}: ${names.slice(0, MAX_LISTED_NAMES).join(', ')}${moreText}`;
    }),
    ...(leavesNoAdministrator
      ? ['No administrator is left. Add one with the admin command “create NAME”.']
      : []),
  ];
}

export async function deletePeopleAgain(
  deletedPeople: readonly DeletedPerson[],
  db: Database,
): Promise<void> {
  if (deletedPeople.length > 0)
    await inTransaction(db, (transaction) => addForgetJobs(deletedPeople, transaction));
}

async function addForgetJobs(
  deletedPeople: readonly DeletedPerson[],
  transaction: Transaction<Tables>,
): Promise<void> {
  for (const person of deletedPeople) await addForgetJob(person, transaction, Date.now());
}

const reasons: Record<AccessFault, (file: string) => string> = {
  'no-access-file': (file) => `${file} was not written by save-access. Use a file that was.`,
  'not-whole': (file) => `${file} is incomplete. Use another file.`,
  'another-installation': (file) => `${file} belongs to another installation.`,
  older: (file) =>
    `${file} was saved before the last change to this database, so it cannot be applied.`,
};

export async function saveAccessTo(file: string, db: Database): Promise<CommandResult> {
  try {
    const people = await saveAccess(file, db, Date.now());
    return createSuccess(
      `The access of ${people.toLocaleString('en')} ${people === 1 ? 'person' : 'people'} was saved to ${file}. The file contains password hashes. Keep the file as safe as a backup, and delete it after apply-access.`,
    );
  } catch (error) {
    return explainFault(error, file);
  }
}

/** @param mayChange false only lists */
export async function applyAccessFrom(
  file: string,
  db: Database,
  mayChange: boolean,
): Promise<CommandResult> {
  try {
    const endedAccess = await applyAccess(
      file,
      db,
      mayChange
        ? async (deleted, transaction) => {
            await addForgetJobs(deleted, transaction);
            actAs({ by: COMMAND_LINE, at: Date.now() }, transaction);
            await recordAudit({ action: 'backup.restore' }, transaction);
          }
        : undefined,
    );
    const latestChange = mayChange
      ? `${endedAccess.kinds.length > 0 ? 'All of these changes were applied again. ' : ''}Everyone has to sign in again.`
      : 'This is only a list. The database was not changed.';
    return createSuccess([...describeRevoked(endedAccess), latestChange].join('\n'));
  } catch (error) {
    return explainFault(error, file);
  }
}

/** @throws anything but a fault of the file */
function explainFault(error: unknown, file: string): CommandResult {
  if (error instanceof AccessError)
    return createFailure(`${reasons[error.fault](file)} The database was not changed.`);
  if (error instanceof Error && 'syscall' in error)
    return createFailure(`${oneLine(String(error.message))}. The database was not changed.`);
  throw error;
}
