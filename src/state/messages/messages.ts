/** Sends a message to a topic; no press, retry or lost response duplicates it. */
import { countedMessageSchema } from '../../shared/contract/messages' with { type: 'example' };
import { call } from '../../api/call';
import { withIdempotencyKey } from '../../api/idempotency';
import type { MessageOptions, SentMessage } from '../../shared/contract';
import { onPersonChange } from '../session';
import { endpointInArea, getComposeArea } from './call-area';

/** The unsent message for one topic. */
export interface MessageDraft {
  text: string;
  /** The options are undefined until the sender opens them. */
  options?: MessageOptions | undefined;
  /** The request in flight. A second dialog for the same topic waits for it, too. */
  sending?: Promise<SentOutcome> | undefined;
  /** The dialog that reports the outcome, if several dialogs wait. */
  reportingDialog?: object;
}

/** The server's response to a send, for the sender. */
export interface SentOutcome {
  sentence: string;
  /** The tone is never `good`: the push services' responses are not known yet. */
  tone: '' | 'warn';
  messageId: string;
  /** The server holds the message back for some seconds, so the sender can undo it. */
  isHeld?: boolean;
}

const draftsByTopic = new Map<number, MessageDraft>();
onPersonChange(() => draftsByTopic.clear());

/** Outlives the dialog, the screen, and an expired session, but not another person's sign-in. */
export function draftFor(topicId: number): MessageDraft {
  const draft = draftsByTopic.get(topicId) ?? { text: '' };
  draftsByTopic.set(topicId, draft);
  return draft;
}

const SEND_TO_TOPIC = 'POST /api/admin/notifications/send-topic/:topicId';
export const SEND_TO_TOPIC_FAILED = 'Failed to send notification.';

/**
 * The same text keeps its idempotency key, so a retry is safe. Calls in flight share a promise.
 * @throws {ApiError}
 */
export function sendDraft(
  topicId: number,
  draft: MessageDraft,
  text: string,
  options: MessageDraft['options'],
): Promise<SentOutcome> {
  draft.sending ??= sendText(topicId, draft, text, options).finally(() => {
    draft.sending = undefined;
  });
  return draft.sending;
}

async function sendText(
  topicId: number,
  draft: MessageDraft,
  text: string,
  options: MessageDraft['options'],
): Promise<SentOutcome> {
  const { message, messageId, notified } = await withIdempotencyKey(
    SEND_TO_TOPIC,
    [topicId, text, options],
    (idempotencyKey) =>
      call(SEND_TO_TOPIC, {
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
    isHeld: options?.undoSeconds !== undefined,
  };
}

export const readMessageProgress = (id: string): Promise<SentMessage> =>
  call(endpointInArea(getComposeArea(), 'GET /api/admin/messages/:id'), {
    params: { id },
    fallback: '',
    like: countedMessageSchema,
  });
