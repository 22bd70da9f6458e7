/** Sending a message to a topic, so that no press, retry or lost answer makes it two. */
import { sentMessage } from '../api/admin-shapes';
import { call } from '../api/call';
import { ApiError, errorMessage } from '../api/error';
import { withIdempotencyKey } from '../api/idempotency';
import type { SentMessage } from '../shared/contract';
import { claims } from './session';

/** The message that is being written for one topic. */
export interface Draft {
  text: string;
  /** Its text is on its way. Another dialog for the same topic waits for this, too. */
  sending?: Promise<Sent> | undefined;
  /** Who waits for that and tells how it ended, if several do. */
  teller?: object;
}

/**
 * What the server said of a sent message, for the sender, whether anyone is notified, and its id.
 */
export interface Sent {
  sentence: string;
  tone: 'ok' | 'warn';
  messageId: string;
}

const drafts = new Map<number, Draft>();
let author: number | undefined;

/**
 * What this person typed for a topic and did not send. It outlives the dialog, the screen, and a
 * session that ends by itself; the next person who signs in finds nothing of it.
 */
export function draftFor(topicId: number): Draft {
  if (author !== claims.value?.id) drafts.clear();
  author = claims.value?.id;
  const draft = drafts.get(topicId) ?? { text: '' };
  drafts.set(topicId, draft);
  return draft;
}

const SEND = 'POST /api/admin/notifications/send-topic/:topicId';
const FAILED = 'Failed to send notification.';
const UNKNOWN =
  'It is not known whether it was sent. You can press Send again: nobody is notified twice.';

/**
 * Sends a draft's text and empties the draft, unless something else was typed. The same text keeps
 * its Idempotency-Key until it is known to be sent, so that sending it again is safe after an
 * answer that never came. While something of the draft is on its way, this gives the same promise
 * again.
 * @throws {ApiError}
 */
export function sendDraft(topicId: number, draft: Draft, text: string): Promise<Sent> {
  draft.sending ??= sendText(topicId, draft, text).finally(() => {
    draft.sending = undefined;
  });
  return draft.sending;
}

async function sendText(topicId: number, draft: Draft, text: string): Promise<Sent> {
  const { message, messageId, notified } = await withIdempotencyKey(
    SEND,
    [topicId, text],
    (idempotencyKey) =>
      call(SEND, {
        params: { topicId },
        body: { message: text },
        idempotencyKey,
        fallback: FAILED,
      }),
  );
  if (draft.text.trim() === text) draft.text = '';
  return {
    sentence: typeof message === 'string' && message ? message : 'Notification sent.',
    tone: notified === false ? 'warn' : 'ok',
    messageId,
  };
}

/** Why it failed; where the message may have been taken all the same, that too. */
export function explainSending(thrown: unknown): string {
  const why = errorMessage(thrown, FAILED);
  if (!why || !(thrown instanceof ApiError)) return why;
  const unknown = thrown.code !== 'refused' || thrown.status >= 500;
  return unknown ? `${why} ${UNKNOWN}` : why;
}

/** How far a sent message got. */
export const readMessage = (id: string): Promise<SentMessage> =>
  call('GET /api/admin/messages/:id', { params: { id }, fallback: '', like: sentMessage });
