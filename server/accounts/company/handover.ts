/** Hands the result to the page that started the sign-in: a stranger's link opens nothing. */
import * as v from 'valibot';
import type { ResponseOf, Body } from '../../../src/shared/contract';
import { HttpError } from '../../http/errors';
import { consumeLimit } from '../../http/rate-limits';
import { seal, unseal } from '../../lib/seal';
import type { SealOptions } from '../../lib/seal';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';

type Handover = ResponseOf<'POST /api/auth/oidc/handover'>;

const HANDOVER_LIFETIME_MS = 2 * 60_000;
/** SHA-256 in base64url. */
const SECRET_HASH_PATTERN = /^[\w-]{43}$/;
const sealedHandoverSchema = v.object({
  name: v.picklist(['token', 'second_factor', 'second_factor_set_up']),
  value: v.string(),
  bind: v.string(),
  until: v.number(),
});
const sealOptions = ({ config }: Services): SealOptions => ({
  secret: config.jwtSecret,
  purpose: 'company hand-over',
});

/** The hash of a page's secret; empty without a valid secret. */
export const readSecretHash = (text = ''): string => (SECRET_HASH_PATTERN.test(text) ? text : '');

export const sealHandover = (handover: Handover, secretHash: string, services: Services): string =>
  seal(
    { ...handover, bind: secretHash, until: services.now() + HANDOVER_LIFETIME_MS },
    sealOptions(services),
  );

/**
 * A code works once.
 * @throws HttpError 400 for another page's, a used or an expired code
 */
export async function openHandover(
  { code, secret }: Body<'POST /api/auth/oidc/handover'>,
  services: Services,
): Promise<Handover> {
  const { db, now } = services;
  const handover = v.safeParse(sealedHandoverSchema, unseal(code, sealOptions(services)));
  if (
    !handover.success ||
    handover.output.until <= now() ||
    handover.output.bind !== sha256(secret)
  )
    throw createInvalidHandoverError();
  const singleUseLimit = {
    key: ['company-handover', sha256(code)],
    max: 1,
    windowMs: HANDOVER_LIFETIME_MS,
  };
  if ((await consumeLimit([singleUseLimit], db, now())) !== undefined)
    throw createInvalidHandoverError();
  const { name, value } = handover.output;
  return { name, value };
}

const createInvalidHandoverError = (): HttpError =>
  new HttpError(400, 'This sign-in started in another browser or took too long. Try again.');
