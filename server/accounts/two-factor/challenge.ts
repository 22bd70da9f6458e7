/** The challenge between a right password and the session. It is sealed, and not stored. */
import type { Transaction } from 'kysely';
import * as v from 'valibot';
import type { ErrorBody } from '../../../src/shared/contract';
import type { Tables, UserRow } from '../../db/schema';
import { HttpError } from '../../http/errors';
import { seal, unseal } from '../../lib/seal';
import type { Sealing } from '../../lib/seal';
import { mayDo } from '../../permissions';
import type { Services } from '../../services';
import { lockUnchanged } from '../sign-in/lock-unchanged';
import { hasTwoFactor } from './codes';

export type ChallengeStep = Exclude<ErrorBody['code'], 'signed_out' | undefined>;

const LIFETIME = 10 * 60_000;
const form = v.object({ step: v.string(), id: v.number(), version: v.number(), until: v.number() });
const sealingOf = ({ config }: Services): Sealing => ({
  secret: config.jwtSecret,
  purpose: 'challenge',
});

/** Company sign-in asks, too: the provider alone must not create an administrator. */
export async function stepAfter(
  user: UserRow,
  services: Services,
): Promise<ChallengeStep | undefined> {
  if (!mayDo(user, 'two-factor.change')) return undefined;
  if (await hasTwoFactor(user.id, services.db)) return 'second_factor';
  return services.config.adminTotp === 'required' ? 'second_factor_set_up' : undefined;
}

export const makeChallenge = (
  { id, session_version }: Pick<UserRow, 'id' | 'session_version'>,
  step: ChallengeStep,
  services: Services,
): string =>
  seal(
    { step, id, version: session_version, until: services.now() + LIFETIME },
    sealingOf(services),
  );

/** Shown by an app that was built without ADMIN_TOTP. */
const UNKNOWN: Record<ChallengeStep, string> = {
  second_factor:
    'This account needs a code from an authenticator app. Reload the page. If that does not help, ask your Fieldbell operator to build the app with ADMIN_TOTP.',
  second_factor_set_up:
    'Administrators must set up an authenticator app. Reload the page. If that does not help, ask your Fieldbell operator to build the app with ADMIN_TOTP.',
};

export const challengeError = (user: UserRow, step: ChallengeStep, services: Services): HttpError =>
  new HttpError(401, UNKNOWN[step], undefined, step, makeChallenge(user, step, services));

type Challenged = Pick<v.InferOutput<typeof form>, 'id' | 'version'>;

export const challengeExpired = (): HttpError =>
  new HttpError(400, 'This took too long, or your account has changed. Please sign in again.');

/** @throws HttpError 400 for an invalid or expired one, or one for another step */
export function readChallenge(text: string, step: ChallengeStep, services: Services): Challenged {
  const challenge = v.safeParse(form, unseal(text, sealingOf(services)));
  if (
    !challenge.success ||
    challenge.output.step !== step ||
    challenge.output.until <= services.now()
  )
    throw challengeExpired();
  return challenge.output;
}

/** @throws HttpError 400 if the account has changed */
export async function lockChallenged(
  { id, version }: Challenged,
  transaction: Transaction<Tables>,
): Promise<UserRow> {
  const user = await lockUnchanged({ id, session_version: version }, transaction);
  if (user === undefined) throw challengeExpired();
  return user;
}
