/** When a message leaves, and when it ends. */
import { HttpError } from '../../http/errors';
import { readIsoTime } from '../../../src/shared/iso-time';

/** News from the field is stale after a day: what could not be delivered by then is given up. */
const LIFETIME_MILLISECONDS = 24 * 60 * 60 * 1000;
/** Nobody plans further; and the ledger keeps a message for longer than any can live. */
const YEAR_MILLISECONDS = 366 * 24 * 60 * 60 * 1000;

export interface SendTimes {
  /** Milliseconds since 1970; never in the past. */
  sendAt: number;
  expiresAt: number;
  isLater: boolean;
  /** It leaves now, but for the seconds in which it can be undone. */
  isHeldBack: boolean;
}

interface Given {
  sendAt?: string;
  expiresAt?: string;
  undoSeconds?: number;
}

/**
 * A time in the past means now: the sender's clock may be behind. @throws HttpError 400 for times
 * that cannot be
 */
export function readTimes(given: Given, now: number): SendTimes {
  const asked = read(given.sendAt, now);
  const earliest = now + (given.undoSeconds ?? 0) * 1000;
  const sendAt = Math.max(earliest, asked);
  if (sendAt > now + YEAR_MILLISECONDS)
    throw refuse('sendAt', 'A message can leave at most a year from now.');
  const expiresAt = read(given.expiresAt, sendAt + LIFETIME_MILLISECONDS);
  if (expiresAt <= sendAt) throw refuse('expiresAt', 'A message must end after it leaves.');
  if (expiresAt > sendAt + YEAR_MILLISECONDS)
    throw refuse('expiresAt', 'A message must end within a year after it leaves.');
  return {
    sendAt,
    expiresAt,
    isLater: sendAt > now,
    isHeldBack: sendAt > now && asked <= earliest,
  };
}

/** A delay can end in a year of five digits, which is as refused as any other after next year. */
const read = (time: string | undefined, otherwise: number): number =>
  time === undefined ? otherwise : (readIsoTime(time) ?? Number.POSITIVE_INFINITY);
const refuse = (path: string, message: string): HttpError =>
  new HttpError(400, [{ message, path }]);
