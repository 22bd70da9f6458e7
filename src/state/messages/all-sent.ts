/** Messages of everyone, for administrators and auditors. Senders load none of it. */
import { sentMessageSchema, sentPageSchema } from '../../shared/contract/messages' with {
  type: 'example',
};
import { call } from '../../api/call';
import { withCause } from '../../api/with-cause';
import type { Priority, SentFilterState, SentMessage } from '../../shared/contract';
import type { PageOf, PageRequest } from '../read-all-pages';
import { SENT_FAILED } from './sent-messages';

export const RELEASE_FAILED = 'Failed to send the message.';

export interface SentFilter {
  priority: Priority | '';
  state: SentFilterState | '';
  /** A topic's id. */
  topic: string;
  /** Part of a name. */
  sender: string;
}

/** Reads sent messages, newest first. An empty filter matches all messages. */
export async function readSent(
  request: PageRequest,
  { priority, state, topic, sender }: Partial<SentFilter> = {},
): Promise<PageOf<SentMessage>> {
  const { messages: rows, ...page } = await call('GET /api/admin/messages', {
    query: {
      ...request,
      ...(priority && { priority }),
      ...(state && { state }),
      ...(topic && { topicId: Number(topic) }),
      ...(sender && { sender }),
    },
    fallback: SENT_FAILED,
    like: sentPageSchema,
  }).catch(withCause(SENT_FAILED));
  return { rows, ...page };
}

/**
 * Sends a message that was withheld.
 * @throws {ApiError} 409 if it no longer is
 */
export async function releaseMessage(id: string): Promise<void> {
  await call('POST /api/admin/messages/:id/release', {
    params: { id },
    fallback: RELEASE_FAILED,
    like: sentMessageSchema,
  });
}
