import { createHmac } from 'node:crypto';
import { foldCase } from '../../../src/shared/case-fold';
import { rateLimitAddress } from '../../http/connections/client-address';
import { HttpError } from '../../http/errors';
import { consumeLimit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { queueAccountMail, findRecipient } from './mail-jobs';
import type { MailKind } from '../../db/jobs/kinds';
import { HOUR_MS } from '../../lib/durations';

const MAX_MAILS_PER_MAILBOX = 3;
/** Suffices for an office behind one address when everyone forgot their password. */
const MAX_REQUESTS_PER_ADDRESS = 300;

export interface MailRequest {
  email: string;
  /** Address of the connection. */
  callerAddress: string;
}

/**
 * Queues a mail, at most three an hour. Without an account it queues the same job for a made-up id,
 * so that the caller can't tell whether the account exists.
 * @throws HttpError 429
 */
export async function queueRequestedMail(
  kind: MailKind,
  { email, callerAddress }: MailRequest,
  services: Services,
): Promise<void> {
  const { db, now } = services;
  const emailKey = foldCase(email);
  const addressLimit = {
    key: ['mail-address', rateLimitAddress(callerAddress)],
    max: MAX_REQUESTS_PER_ADDRESS,
    windowMs: HOUR_MS,
  };
  const wait = await consumeLimit([addressLimit], db, now());
  if (wait !== undefined)
    throw new HttpError(429, 'Too many emails were requested from your network.', wait);
  const mailbox = {
    key: [kind, emailKey],
    max: MAX_MAILS_PER_MAILBOX,
    windowMs: HOUR_MS,
    isStrict: true,
  };
  const isFull = (await consumeLimit([mailbox], db, now())) !== undefined;
  if (isFull) return;
  const user = await findRecipient({ emailKey }, services);
  const noAccount = missingAccountId(emailKey, services.config.jwtSecret);
  await queueAccountMail(kind, user?.id ?? noAccount, db, now());
  services.wakeMail();
}

const ID_BYTES = 6;
/** The id for an email without an account: always the same, and it reveals no email. */
const missingAccountId = (emailKey: string, secret: string): number =>
  -1 -
  createHmac('sha256', secret)
    // banned-phrases: another text would change the ids
    .update(`mail for nobody\0${emailKey}`)
    .digest()
    .readUIntBE(0, ID_BYTES);
