import type { MessageRow } from '../../db/schema';
import { conflictError } from '../../http/errors';

/** @throws HttpError 409 if it may neither be corrected nor cleared: it ended, or is an all-clear */
export function requireCorrectable(message: MessageRow, now: number): void {
  if (message.is_all_clear === 1)
    throw conflictError('This message is itself an all-clear. Send a new message instead.');
  requireNotEnded(message, now);
}

export const isCorrectable = (message: MessageRow, now: number): boolean =>
  message.is_all_clear !== 1 && findEnd(message, now) === undefined;

/** @throws HttpError 409 if the message can no longer notify anyone */
export function requireNotEnded(message: MessageRow, now: number): void {
  const end = findEnd(message, now);
  if (end !== undefined) throw conflictError(end);
}

function findEnd(message: MessageRow, now: number): string | undefined {
  if (message.resolved_at !== null) return 'This message is resolved.';
  if (message.all_clear_at !== null) return 'The all-clear was already sent.';
  if (message.state === 'cancelled') return 'This message was canceled.';
  if (message.expires_at <= now) return 'This message has expired.';
  return undefined;
}
