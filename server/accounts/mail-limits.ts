import { fold } from '../fold';
import { addressBlock } from '../http/address';
import { HttpError } from '../http/errors';
import { count } from '../limits';
import type { Services } from '../services';

const HOUR = 60 * 60 * 1000;
const MOST_FOR_MAILBOX = 3;
/** Enough for an office behind one address on the day when everybody has forgotten their password. */
const MOST_FROM_ADDRESS = 300;

/** Somebody who is not signed in asks for a mail. */
export interface MailRequest {
  email: string;
  /** The address of the connection. */
  from: string;
}

/**
 * Does the work behind the answer, with the folded email, at most three times an hour for a mailbox. Whoever asked
 * cannot tell whether it was done.
 * @throws HttpError 429 if too many mails were asked for from there, to whomever
 */
export async function mailLater(kind: string, { email, from }: MailRequest, services: Services, work: (emailKey: string) => Promise<void>): Promise<void> {
  const { db, background, now } = services;
  const emailKey = fold(email);
  const asked = { key: ['mail-address', addressBlock(from)], most: MOST_FROM_ADDRESS, windowMilliseconds: HOUR };
  const wait = await count([asked], db, now());
  if (wait !== undefined) throw new HttpError(429, 'Too many mails were asked for. Please try again later.', wait);
  const mailbox = { key: [kind, emailKey], most: MOST_FOR_MAILBOX, windowMilliseconds: HOUR };
  const isFull = (await count([mailbox], db, now())) !== undefined;
  background.run(async () => {
    if (!isFull) await work(emailKey);
  });
}
