import type { MessageRow } from '../../db/schema';
import { conflictError } from '../../http/errors';

/** @throws HttpError 409 if it may neither be corrected nor cleared: it ended, or is an all-clear */
export function requireCorrectable(message: MessageRow, now: number): void {
  if (message.is_all_clear === 1)
    throw conflictError('This message is itself an all-clear. Send a new message instead.');
  requireNotEnded(message, now);
}

/** @throws HttpError 409 if no one may be notified of the message any more */
export function requireNotEnded(message: MessageRow, now: number): void {
  if (message.resolved_at !== null) throw conflictError('This message is resolved.');
  if (message.all_clear_at !== null) throw conflictError('The all-clear was already sent.');
  if (message.state === 'cancelled') throw conflictError('This message was canceled.');
  if (message.expires_at <= now) throw conflictError('This message has expired.');
}
