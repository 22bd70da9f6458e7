/** The topics that a sender may send to, and the loss of that right. */
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { sendingTopicsSchema } from '../../shared/contract/senders' with { type: 'example' };
import type { SendingTopic } from '../../shared/contract';
import { dropRight } from '../rights';

export const SENDING_TOPICS_FAILED = 'Failed to load your topics.';

export const isForbidden = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403;

/**
 * Empty if the person may no longer send. Then Send leaves the menu, too.
 * @throws {ApiError}
 */
export async function readSendingTopics(): Promise<readonly SendingTopic[]> {
  try {
    const { topics } = await call('GET /api/sending/topics', {
      fallback: SENDING_TOPICS_FAILED,
      like: sendingTopicsSchema,
    });
    if (topics.length === 0) dropRight('send');
    return topics;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    dropRight('send');
    return [];
  }
}

/**
 * A refusal may mean that no topic is left.
 * @throws what `work` throws
 */
export async function dropSenderRightIfForbidden<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (isForbidden(error)) void readSendingTopics().catch(() => undefined);
    throw error;
  }
}
