/**
 * Codes of authenticator apps (RFC 6238), by `otpauth`, which is loaded when the first one is
 * needed.
 */
import type { TOTP } from 'otpauth';

/**
 * So many time steps a phone's clock may be apart from ours. RFC 6238 recommends one for the time
 * that typing takes (section 5.2), and has two in its example of a clock that is wrong (section 6):
 * a minute apart is two steps of 30 seconds. Five good codes of a million are few for five tries in
 * a quarter of an hour.
 */
const STEPS_APART = 2;
const PERIOD_SECONDS = 30;
/** As long as the hash, as RFC 4226 recommends (section 4). */
const SECRET_BYTES = 20;

/** What all authenticator apps can do: SHA-1, six digits, 30 seconds. */
async function totpOf(secret: string | undefined, label: string): Promise<TOTP> {
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

/** A new secret in base32, and the link by which an authenticator app on the same phone takes it. */
export async function makeTotpSecret(username: string): Promise<{ secret: string; link: string }> {
  const made = await totpOf(undefined, username);
  return { secret: made.secret.base32, link: made.toString() };
}

/**
 * The time step that a code belongs to. @returns undefined if it is none of the present ones
 * @param now in milliseconds since 1970
 */
export async function stepOf(
  code: string,
  secret: string,
  now: number,
): Promise<number | undefined> {
  const totp = await totpOf(secret, '');
  const apart = totp.validate({ token: code, timestamp: now, window: STEPS_APART });
  return apart === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + apart;
}
