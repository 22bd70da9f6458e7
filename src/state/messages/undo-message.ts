/** How sending is undone. */
import { ApiError } from '../../api/error';
import type { SentMessage } from '../../shared/contract';
import { cancelMessage } from './composing';
import { readMessageProgress } from './messages';

/** `late`: the message had been sent in part. `gone`: nothing was left to cancel. */
export type UndoResult = { kind: 'undone' } | { kind: 'gone' } | { kind: 'late'; people: number };

/**
 * Cancels a held message, and reports whether it was in time.
 * @throws {ApiError}
 */
export async function undoMessage(id: string): Promise<UndoResult> {
  try {
    const { people } = await cancelMessage(id);
    // The server creates recipients only when it sends.
    return people.total === 0 ? { kind: 'undone' } : { kind: 'late', people: people.total };
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return { kind: 'gone' };
    throw error;
  }
}

/** The message once it was sent or canceled; undefined while the message waits or is unreadable. */
export const readIfSent = async (id: string): Promise<SentMessage | undefined> => {
  const message = await readMessageProgress(id).catch(() => undefined);
  return message?.state === 'scheduled' ? undefined : message;
};
