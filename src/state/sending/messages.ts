/** Sending a message to a topic, so that no press, retry or lost answer makes it two. */
import { progress } from '../../shared/contract/messages' with { type: 'example' };
import { call } from '../../api/call';
import { withIdempotencyKey } from '../../api/idempotency';
import type { MessageOptions, SentMessage } from '../../shared/contract';
import { onNextPerson } from '../session';

/** The message that is being written for one topic. */
export interface Draft {
  text: string;
  /** What it has besides, once somebody looked at that. */
  options?: MessageOptions | undefined;
  /** Its text is on its way. Another dialog for the same topic waits for this, too. */
  sending?: Promise<SentOutcome> | undefined;
  /** Who waits for that and tells how it ended, if several do. */
  teller?: object;
}

/**
 * What the server said of a sent message, for the sender, whether anyone is notified, and its id.
 */
export interface SentOutcome {
  sentence: string;
  /** Never good: what push services do with it is not known yet. */
  tone: '' | 'warn';
  messageId: string;
  /** The server holds it back for some seconds, in which it can be undone. */
  held?: boolean;
}

const drafts = new Map<number, Draft>();
onNextPerson(() => drafts.clear());

/**
 * What this person typed for a topic and did not send. It outlives the dialog, the screen, and a
 * session that ends by itself; the next person who signs in finds nothing of it.
 */
export function draftFor(topicId: number): Draft {
  const draft = drafts.get(topicId) ?? { text: '' };
  drafts.set(topicId, draft);
  return draft;
}

const SEND = 'POST /api/admin/notifications/send-topic/:topicId';
export const SEND_TO_TOPIC_FAILED = 'Failed to send notification.';

/**
 * Sends a draft's text and empties the draft, unless something else was typed. The same text keeps
 * its Idempotency-Key until it is known to be sent, so that sending it again is safe after an
 * answer that never came. While something of the draft is on its way, this gives the same promise
 * again.
 * @throws {ApiError}
 */
export function sendDraft(
  topicId: number,
  draft: Draft,
  text: string,
  options: Draft['options'],
): Promise<SentOutcome> {
  draft.sending ??= sendText(topicId, draft, text, options).finally(() => {
    draft.sending = undefined;
  });
  return draft.sending;
}

async function sendText(
  topicId: number,
  draft: Draft,
  text: string,
  options: Draft['options'],
): Promise<SentOutcome> {
  const { message, messageId, notified } = await withIdempotencyKey(
    SEND,
    [topicId, text, options],
    (idempotencyKey) =>
      call(SEND, {
        params: { topicId },
        body: { message: text, ...options },
        idempotencyKey,
        fallback: SEND_TO_TOPIC_FAILED,
      }),
  );
  if (draft.text.trim() === text) Object.assign(draft, { text: '', options: undefined });
  return {
    sentence: typeof message === 'string' && message ? message : 'Notification sent.',
    tone: notified === false ? 'warn' : '',
    messageId,
    held: options?.undoSeconds !== undefined,
  };
}

/** How far a sent message got. */
export const readMessageProgress = (id: string): Promise<SentMessage> =>
  call('GET /api/admin/messages/:id', { params: { id }, fallback: '', like: progress });
