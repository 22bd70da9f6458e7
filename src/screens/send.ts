/** Sending a message to a topic, so that no press, retry or lost answer makes it two. */
import { ApiError, call } from '../api';
import { explain } from './load';

/** What is being written for one topic. `tried` is the text that went out last, with its key, until it is known to be sent. */
export interface Draft {
  text: string;
  tried?: { text: string; key: string };
}

const FAILED = 'Failed to send notification.';
const UNKNOWN = 'It is not known whether it was sent. You can press Send again: nobody is notified twice.';

/**
 * Sends the draft's text and empties it. The same text keeps its Idempotency-Key until it is known to be sent, so that
 * sending it again is safe after an answer that never came.
 * @returns the sentence for the sender
 * @throws {ApiError}
 */
export async function sendDraft(topicId: number, draft: Draft): Promise<string> {
  const text = draft.text.trim();
  if (draft.tried?.text !== text) draft.tried = { text, key: makeKey() };
  const { message } = await call('POST /api/admin/notifications/send-topic/:topicId', {
    params: { topicId },
    body: { message: text },
    idempotencyKey: draft.tried.key,
    fallback: FAILED,
  });
  if (draft.text.trim() === text) draft.text = '';
  delete draft.tried;
  return typeof message === 'string' && message ? message : 'Notification sent.';
}

/** Why it failed; where the message may have been taken all the same, that too. */
export function explainSending(thrown: unknown): string {
  const why = explain(thrown, FAILED);
  if (!why || !(thrown instanceof ApiError)) return why;
  const unknown = thrown.code !== 'refused' || thrown.status >= 500;
  return unknown ? `${why} ${UNKNOWN}` : why;
}

/** 128 random bits. Not crypto.randomUUID, which exists only on https and localhost. */
const makeKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
