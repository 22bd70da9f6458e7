import type { MessageRow } from '../../db/schema';
import { conflict } from '../../http/errors';

/** @throws HttpError 409 if no one may be notified of the message any more */
export function requireNotEnded(message: MessageRow, now: number): void {
  if (message.resolved_at !== null) throw conflict('This message is resolved.');
  if (message.all_clear_at !== null) throw conflict('This message already has its all-clear.');
  if (message.state === 'cancelled') throw conflict('This message was canceled.');
  if (message.expires_at <= now) throw conflict('This message has expired.');
}
