import { TOTP } from 'otpauth';
import { enableTwoFactor } from '../../../server/accounts/two-factor/codes';
import { generateTotpSecret } from '../../../server/accounts/two-factor/totp';
import { inTransaction } from '../../../server/db/transaction';
import type { Services } from '../../../server/services';

/** The app's code at that time, in milliseconds since 1970. */
export const authenticatorCode = (secret: string, now: number): string =>
  new TOTP({ secret }).generate({ timestamp: now });

/** Gives an account an app that was set up long ago. */
export async function addAuthenticatorApp(
  { id, username }: { id: number; username: string },
  services: Services,
): Promise<{ secret: string; codes: string[] }> {
  const { secret } = await generateTotpSecret(username);
  const codes = await inTransaction(services.db, (transaction) =>
    enableTwoFactor(id, { secret, step: 0 }, transaction, services),
  );
  return { secret, codes };
}
