/**
 * Setting an authenticator app up: a secret is shown, and counts once the app has made a code of
 * it. Until then it is kept nowhere, so that nothing is left of one that was begun only.
 */
import * as v from 'valibot';
import type { BegunSecondFactor } from '../../../src/shared/contract';
import type { UserRow } from '../../db/schema';
import { HttpError } from '../../http/errors';
import { seal, unseal } from '../../lib/seal';
import type { Sealing } from '../../lib/seal';
import type { Services } from '../../services';
import { wrongCode } from './codes';
import { makeTotpSecret, stepOf } from './totp';

const LIFETIME = 30 * 60_000;
const form = v.object({ id: v.number(), secret: v.string(), until: v.number() });
const sealingOf = ({ config }: Services): Sealing => ({
  secret: config.jwtSecret,
  purpose: 'begun second factor',
});

export async function beginSetUp(
  { id, username }: Pick<UserRow, 'id' | 'username'>,
  services: Services,
): Promise<BegunSecondFactor> {
  const { secret, link } = await makeTotpSecret(username);
  const until = services.now() + LIFETIME;
  return { secret, link, begun: seal({ id, secret, until }, sealingOf(services)) };
}

/**
 * The secret that somebody's app has now, and the step of the code that shows it.
 * @throws HttpError 400 for a wrong code, and for what was begun by somebody else or too long ago
 */
export async function proveSecret(
  { begun, code }: { begun: string; code: string },
  userId: number,
  services: Services,
): Promise<{ secret: string; step: number }> {
  const said = v.safeParse(form, unseal(begun, sealingOf(services)));
  if (!said.success || said.output.id !== userId || said.output.until <= services.now())
    throw new HttpError(400, 'This took too long. Please begin again.');
  const { secret } = said.output;
  const step = await stepOf(code.replace(/\s/g, ''), secret, services.now());
  if (step === undefined) throw wrongCode();
  return { secret, step };
}
