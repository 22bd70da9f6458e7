/** Sets up an authenticator app. Its secret is sealed, and stored only once a code proves it. */
import * as v from 'valibot';
import type { TwoFactorSetUp } from '../../../src/shared/contract';
import type { UserRow } from '../../db/schema';
import { HttpError } from '../../http/errors';
import { seal, unseal } from '../../lib/seal';
import type { SealOptions } from '../../lib/seal';
import type { Services } from '../../services';
import { wrongCodeError } from './codes';
import { generateTotpSecret, findTotpStep } from './totp';

const SET_UP_LIFETIME_MS = 30 * 60_000;
const sealedSetUpSchema = v.object({ id: v.number(), secret: v.string(), until: v.number() });
const sealOptions = ({ config }: Services): SealOptions => ({
  secret: config.jwtSecret,
  purpose: 'begun second factor',
});

export async function beginTotpSetUp(
  { id, username }: Pick<UserRow, 'id' | 'username'>,
  services: Services,
): Promise<TwoFactorSetUp> {
  const { secret, link } = await generateTotpSecret(username);
  const expiresAt = services.now() + SET_UP_LIFETIME_MS;
  return { secret, link, begun: seal({ id, secret, until: expiresAt }, sealOptions(services)) };
}

/** @throws HttpError 400 for a wrong code, another person's or an expired start */
export async function confirmTotpSetUp(
  { begun, code }: { begun: string; code: string },
  userId: number,
  services: Services,
): Promise<{ secret: string; step: number }> {
  const setUp = v.safeParse(sealedSetUpSchema, unseal(begun, sealOptions(services)));
  if (!setUp.success || setUp.output.id !== userId || setUp.output.until <= services.now())
    throw new HttpError(400, 'This took too long. Please start again.');
  const { secret } = setUp.output;
  const step = await findTotpStep(code.replace(/\s/g, ''), secret, services.now());
  if (step === undefined) throw wrongCodeError();
  return { secret, step };
}
