/** The challenge between a right password and the session. It is sealed, and not stored. */
import type { Transaction } from 'kysely';
import * as v from 'valibot';
import type { ErrorBody } from '../../../src/shared/contract';
import type { Tables, UserRow } from '../../db/schema';
import { HttpError } from '../../http/errors';
import { seal, unseal } from '../../lib/seal';
import type { SealOptions } from '../../lib/seal';
import { mayDo } from '../../permissions';
import type { Services } from '../../services';
import { lockUnchangedAccount } from '../sign-in/lock-unchanged';
import { hasTwoFactor } from './codes';

export type ChallengeStep = Exclude<ErrorBody['code'], 'signed_out' | 'invalid_link' | undefined>;

const CHALLENGE_LIFETIME_MS = 10 * 60_000;
const sealedChallengeSchema = v.object({
  step: v.string(),
  id: v.number(),
  version: v.number(),
  until: v.number(),
});
const sealOptions = ({ config }: Services): SealOptions => ({
  secret: config.jwtSecret,
  purpose: 'challenge',
});

/** Company sign-in asks, too: the provider alone must not create an administrator. */
export async function findChallengeStep(
  user: UserRow,
  services: Services,
): Promise<ChallengeStep | undefined> {
  if (!mayDo(user, 'two-factor.change')) return undefined;
  if (await hasTwoFactor(user.id, services.db)) return 'second_factor';
  return services.config.adminTotp === 'required' ? 'second_factor_set_up' : undefined;
}

export const createSignInChallenge = (
  { id, session_version }: Pick<UserRow, 'id' | 'session_version'>,
  step: ChallengeStep,
  services: Services,
): string =>
  seal(
    { step, id, version: session_version, until: services.now() + CHALLENGE_LIFETIME_MS },
    sealOptions(services),
  );

/** An app that was built without ADMIN_TOTP shows this text. */
const CHALLENGE_MESSAGES: Record<ChallengeStep, string> = {
  second_factor:
    'This account needs a code from an authenticator app. Reload the page. If that does not help, ask your operator to build Fieldbell with ADMIN_TOTP.',
  second_factor_set_up:
    'Administrators must set up an authenticator app. Reload the page. If that does not help, ask your operator to build Fieldbell with ADMIN_TOTP.',
};

export const challengeError = (user: UserRow, step: ChallengeStep, services: Services): HttpError =>
  new HttpError(
    401,
    CHALLENGE_MESSAGES[step],
    undefined,
    step,
    createSignInChallenge(user, step, services),
  );

type ChallengedUser = Pick<v.InferOutput<typeof sealedChallengeSchema>, 'id' | 'version'>;

export const challengeExpiredError = (): HttpError =>
  new HttpError(400, 'This took too long, or your account has changed. Please sign in again.');

/** @throws HttpError 400 for an invalid or expired challenge, or a challenge for another step */
export function readSignInChallenge(
  text: string,
  step: ChallengeStep,
  services: Services,
): ChallengedUser {
  const challenge = v.safeParse(sealedChallengeSchema, unseal(text, sealOptions(services)));
  if (
    !challenge.success ||
    challenge.output.step !== step ||
    challenge.output.until <= services.now()
  )
    throw challengeExpiredError();
  return challenge.output;
}

/** @throws HttpError 400 if the account has changed */
export async function lockChallengedAccount(
  { id, version }: ChallengedUser,
  transaction: Transaction<Tables>,
): Promise<UserRow> {
  const user = await lockUnchangedAccount({ id, session_version: version }, transaction);
  if (user === undefined) throw challengeExpiredError();
  return user;
}
