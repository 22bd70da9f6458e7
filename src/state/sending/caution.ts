/** Which messages are reviewed before they go, and can be undone after. */
import { ApiError } from '../../api/error';
import type { Priority, SentMessage } from '../../shared/contract';
import { cancelMessage } from './composing';
import { readMessageProgress } from './messages';

export const UNDO_SECONDS = 5;
const MANY = 50;

/** Whether an accident would disturb many, or urgently. @param people undefined where not known */
export const needsReview = (people: number | undefined, priority: Priority = 'normal'): boolean =>
  priority === 'urgent' || people === undefined || people > MANY;

/** `late`: some of it had left. `gone`: nothing was left to cancel. */
export type Undone = { is: 'undone' } | { is: 'gone' } | { is: 'late'; people: number };

/** Cancels what still waits, and says which of the two was first. @throws {ApiError} */
export async function undoMessage(id: string): Promise<Undone> {
  try {
    const { people } = await cancelMessage(id);
    // Its recipients are written when it leaves.
    return people.total === 0 ? { is: 'undone' } : { is: 'late', people: people.total };
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return { is: 'gone' };
    throw error;
  }
}

/** The message once it has left or was cancelled; undefined while it waits, or cannot be read. */
export const readLeft = async (id: string): Promise<SentMessage | undefined> => {
  const message = await readMessageProgress(id).catch(() => undefined);
  return message?.state === 'scheduled' ? undefined : message;
};
