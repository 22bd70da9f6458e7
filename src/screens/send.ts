/** Sending a message to a topic, so that no press, retry or lost answer makes it two. */
import { ApiError, call, sentence } from '../api';
import { claims } from '../state/session';
import { makeKey } from './once';

/** What is being written for one topic. `tried` is the text that went out last, with its key, until it is known to be sent. */
export interface Draft {
  text: string;
  tried?: { text: string; key: string };
}

/** What the server said of a sent message, for the sender, and its id. */
export interface Sent {
  sentence: string;
  messageId: string;
}

const drafts = new Map<number, Draft>();
let author: number | undefined;

/**
 * What this person typed for a topic and did not send. It outlives the dialog, the screen, and a session that ends by
 * itself; whoever signs in next finds nothing of it.
 */
export function draftFor(topicId: number): Draft {
  if (author !== claims.value?.id) drafts.clear();
  author = claims.value?.id;
  const draft = drafts.get(topicId) ?? { text: '' };
  drafts.set(topicId, draft);
  return draft;
}

const FAILED = 'Failed to send notification.';
const UNKNOWN = 'It is not known whether it was sent. You can press Send again: nobody is notified twice.';

/**
 * Sends the draft's text and empties it. The same text keeps its Idempotency-Key until it is known to be sent, so that
 * sending it again is safe after an answer that never came.
 * @throws {ApiError}
 */
export async function sendDraft(topicId: number, draft: Draft): Promise<Sent> {
  const text = draft.text.trim();
  if (draft.tried?.text !== text) draft.tried = { text, key: makeKey() };
  const { message, messageId } = await call('POST /api/admin/notifications/send-topic/:topicId', {
    params: { topicId },
    body: { message: text },
    idempotencyKey: draft.tried.key,
    fallback: FAILED,
  });
  if (draft.text.trim() === text) draft.text = '';
  delete draft.tried;
  return { sentence: typeof message === 'string' && message ? message : 'Notification sent.', messageId };
}

/** Why it failed; where the message may have been taken all the same, that too. */
export function explainSending(thrown: unknown): string {
  const why = sentence(thrown, FAILED);
  if (!why || !(thrown instanceof ApiError)) return why;
  const unknown = thrown.code !== 'refused' || thrown.status >= 500;
  return unknown ? `${why} ${UNKNOWN}` : why;
}
