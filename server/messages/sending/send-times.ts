import { HttpError } from '../../http/errors';
import { readIsoTime } from '../../../src/shared/iso-time';

/** The default lifetime of a message: a report from the field is out of date after a day. */
const DEFAULT_MESSAGE_LIFETIME_MS = 24 * 60 * 60 * 1000;
/** The longest time ahead for scheduling and expiry. The ledger keeps messages longer. */
const MAX_TIME_AHEAD_MS = 366 * 24 * 60 * 60 * 1000;

export interface SendTimes {
  /** Milliseconds since 1970, never in the past. */
  sendAt: number;
  expiresAt: number;
  isLater: boolean;
  /** The message is sent now, after the seconds in which the sender can undo it. */
  isUndoable: boolean;
}

interface RequestedTimes {
  sendAt?: string;
  expiresAt?: string;
  undoSeconds?: number;
}

/**
 * A time in the past means now: clocks differ.
 * @throws HttpError 400 for invalid times
 */
export function readTimes(requested: RequestedTimes, now: number): SendTimes {
  const requestedTime = readTimeOr(requested.sendAt, now);
  const earliest = now + (requested.undoSeconds ?? 0) * 1000;
  const sendAt = Math.max(earliest, requestedTime);
  if (sendAt > now + MAX_TIME_AHEAD_MS)
    throw timeError('sendAt', 'A message can be scheduled at most a year ahead.');
  const expiresAt = readTimeOr(requested.expiresAt, sendAt + DEFAULT_MESSAGE_LIFETIME_MS);
  if (expiresAt <= sendAt)
    throw timeError(
      'expiresAt',
      'The message would expire before it is sent. Choose a later expiry time.',
    );
  if (expiresAt > sendAt + MAX_TIME_AHEAD_MS)
    throw timeError(
      'expiresAt',
      'A message can be valid for at most a year. Choose an earlier expiry time.',
    );
  return {
    sendAt,
    expiresAt,
    isLater: sendAt > now,
    isUndoable: sendAt > now && requestedTime <= earliest,
  };
}

/** A long delay may give a year of five digits, which the limit rejects. */
const readTimeOr = (time: string | undefined, otherwise: number): number =>
  time === undefined ? otherwise : (readIsoTime(time) ?? Number.POSITIVE_INFINITY);
const timeError = (path: string, message: string): HttpError =>
  new HttpError(400, [{ message, path }]);
