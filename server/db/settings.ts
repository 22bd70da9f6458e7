import type { Database } from './open';

/** When `npm run admin -- backup` last made one: milliseconds since 1970. */
export const LAST_BACKUP = 'last-backup';

/**
 * When the mail server last accepted a mail, and when it last let one fail, within some seconds; 0
 * once it refused only a recipient since.
 */
export const MAIL_ACCEPTED = 'mail-accepted';
export const MAIL_FAILED = 'mail-failed';

/** What health writes, to see whether it can: milliseconds since 1970. */
export const HEALTH_PROBE = 'health-probe';

/** Entries of the audit log from this time on may not be removed: milliseconds since 1970. */
export const AUDIT_KEPT_SINCE = 'audit-kept-since';

/** What an installation keeps under a name, or undefined. */
export async function readSetting(name: string, db: Database): Promise<string | undefined> {
  const found = db.selectFrom('settings').select('value').where('name', '=', name);
  return (await found.executeTakeFirst())?.value;
}

/** Keeps a value in place of the one there was. */
export async function writeSetting(name: string, value: string, db: Database): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((known) => known.column('name').doUpdateSet({ value }))
    .execute();
}

/** Keeps a value unless there is one: of processes that start together, all get the first. */
export async function keepFirst(name: string, value: string, db: Database): Promise<string> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((taken) => taken.column('name').doNothing())
    .execute();
  const kept = await readSetting(name, db);
  if (kept === undefined) throw new Error(`The setting ${name} was removed while it was made.`);
  return kept;
}

/** What the mail server last did, as all processes together saw it: milliseconds since 1970. */
export interface MailServerOutcome {
  acceptedAt: number | null;
  failedAt: number | null;
}

export async function readMailServerOutcome(db: Database): Promise<MailServerOutcome> {
  const read = async (name: string): Promise<number | null> => {
    const value = await readSetting(name, db);
    return value === undefined ? null : Number(value);
  };
  return { acceptedAt: await read(MAIL_ACCEPTED), failedAt: await read(MAIL_FAILED) };
}
