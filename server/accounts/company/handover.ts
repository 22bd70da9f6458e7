/**
 * How what the callback has to say reaches the page that began, and no other: sealed in the address,
 * for who knows the secret whose hash the sign-in began with. A link that somebody else made, with a
 * session of theirs in it, opens nothing.
 */
import * as v from 'valibot';
import type { Answer, Body } from '../../../src/shared/contract';
import { HttpError } from '../../http/errors';
import { consumeLimit } from '../../http/rate-limits';
import { seal, unseal } from '../../lib/seal';
import type { Sealing } from '../../lib/seal';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';

type Handed = Answer<'POST /api/auth/oidc/handover'>;

/** For the page to load, on a slow phone, too. */
const LIFETIME = 2 * 60_000;
/** SHA-256 in base64url. */
const BIND = /^[\w-]{43}$/;
const form = v.object({
  name: v.picklist(['token', 'second_factor', 'second_factor_set_up']),
  value: v.string(),
  bind: v.string(),
  until: v.number(),
});
const sealingOf = ({ config }: Services): Sealing => ({
  secret: config.jwtSecret,
  purpose: 'company hand-over',
});

/** What a page says of its secret; empty without one. */
export const readBind = (text = ''): string => (BIND.test(text) ? text : '');

export const sealHandover = (handed: Handed, bind: string, services: Services): string =>
  seal({ ...handed, bind, until: services.now() + LIFETIME }, sealingOf(services));

/** Works once. @throws HttpError 400 for one of another page, that was used, or is too old */
export async function openHandover(
  { code, secret }: Body<'POST /api/auth/oidc/handover'>,
  services: Services,
): Promise<Handed> {
  const { db, now } = services;
  const said = v.safeParse(form, unseal(code, sealingOf(services)));
  if (!said.success || said.output.until <= now() || said.output.bind !== sha256(secret))
    throw refused();
  const once = { key: ['company-handover', sha256(code)], max: 1, windowMilliseconds: LIFETIME };
  if ((await consumeLimit([once], db, now())) !== undefined) throw refused();
  const { name, value } = said.output;
  return { name, value };
}

const refused = (): HttpError =>
  new HttpError(
    400,
    'This sign-in was begun in another browser, or too long ago. Please try again.',
  );
