import { createHmac } from 'node:crypto';
import { ConfigError } from '../config/config';
import type { Database } from '../db/open';
import { readOrCreateSetting } from '../db/settings';

const FINGERPRINT_SETTING = 'jwt-secret-fingerprint';

/** Servers of one database with different secrets would reject each other's sessions. */
export async function checkOrStoreSecret(secret: string, db: Database): Promise<void> {
  const value = createHmac('sha256', secret)
    .update('fingerprint of this secret')
    .digest('base64url');
  if ((await readOrCreateSetting(FINGERPRINT_SETTING, value, db)) === value) return;
  throw new ConfigError(
    'JWT_SECRET differs from the secret of this database. All servers of one database need the same secret. To change the secret, stop all servers, run the admin command “new-secret”, and start them with the new JWT_SECRET. Everyone then has to sign in again.',
  );
}

export async function deleteStoredSecret(db: Database): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', FINGERPRINT_SETTING).execute();
}
