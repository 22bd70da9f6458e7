/** Codes of authenticator apps (RFC 6238). `otpauth` is loaded when the first one is needed. */
import type { TOTP } from 'otpauth';

/**
 * Allowed clock difference in steps of 30 s: RFC 6238 recommends one for typing (section 5.2) and
 * has two in its example of a wrong clock (section 6).
 */
const STEPS_APART = 2;
const PERIOD_SECONDS = 30;
/** The secret is as long as the hash (RFC 4226, section 4). */
const SECRET_BYTES = 20;

async function createTotp(secret: string | undefined, label: string): Promise<TOTP> {
  const { Secret, TOTP: Totp } = await import('otpauth');
  return new Totp({
    issuer: 'Fieldbell',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: secret === undefined ? new Secret({ size: SECRET_BYTES }) : Secret.fromBase32(secret),
  });
}

export async function generateTotpSecret(
  username: string,
): Promise<{ secret: string; link: string }> {
  const totp = await createTotp(undefined, username);
  return { secret: totp.secret.base32, link: totp.toString() };
}

/** @returns undefined if the code is not valid at `now`, in milliseconds since 1970 */
export async function findTotpStep(
  code: string,
  secret: string,
  now: number,
): Promise<number | undefined> {
  const totp = await createTotp(secret, '');
  const stepsApart = totp.validate({ token: code, timestamp: now, window: STEPS_APART });
  return stepsApart === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + stepsApart;
}
