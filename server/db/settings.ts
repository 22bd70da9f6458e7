import type { Database } from './open';

/** Time of the last `npm run admin -- backup`, in milliseconds since 1970. */
export const LAST_BACKUP = 'last-backup';

/** Times of the last accepted and failed mail, within seconds; 0 after a mere rejection. */
export const MAIL_ACCEPTED = 'mail-accepted';
export const MAIL_FAILED = 'mail-failed';

/** The health check writes this, to test writing. Milliseconds since 1970. */
export const HEALTH_PROBE = 'health-probe';

/** Audit entries from this time on cannot be removed. Milliseconds since 1970. */
export const AUDIT_KEPT_SINCE = 'audit-kept-since';

export async function readSetting(name: string, db: Database): Promise<string | undefined> {
  const settingQuery = db.selectFrom('settings').select('value').where('name', '=', name);
  return (await settingQuery.executeTakeFirst())?.value;
}

export async function writeSetting(name: string, value: string, db: Database): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Writes a value unless the setting has one. Processes that start together get the same value. */
export async function readOrCreateSetting(
  name: string,
  value: string,
  db: Database,
): Promise<string> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const storedValue = await readSetting(name, db);
  if (storedValue === undefined)
    throw new Error(`The setting ${name} was removed while Fieldbell created it.`);
  return storedValue;
}

/** The latest outcomes of any process. Milliseconds since 1970. */
interface MailServerOutcome {
  acceptedAt: number | null;
  failedAt: number | null;
}

export async function readMailServerOutcome(db: Database): Promise<MailServerOutcome> {
  const rows = await db
    .selectFrom('settings')
    .where('name', 'in', [MAIL_ACCEPTED, MAIL_FAILED])
    .select(['name', 'value'])
    .execute();
  const readNumber = (name: string): number | null => {
    const row = rows.find((setting) => setting.name === name);
    return row === undefined ? null : Number(row.value);
  };
  return { acceptedAt: readNumber(MAIL_ACCEPTED), failedAt: readNumber(MAIL_FAILED) };
}
