/** The new message that a person writes: kept on the device until it is sent, and sent once. */
import { signal } from '@preact/signals-react';
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { createIdempotencyKey, withIdempotencyKey } from '../../api/idempotency';
import { acceptedSchema, countedMessageSchema } from '../../shared/contract/messages' with {
  type: 'example',
};
import { matchesExample } from '../../api/matches-example';
import { readStored, writeStored } from '../../platform/storage/storage';
import type { Body, NewTranslations, Priority, SentMessage } from '../../shared/contract';
import { noteAccepted } from './accepted-message';
import { endpointInArea, getComposeArea, MESSAGE_CANCEL_FAILED } from './call-area';
import type { SentOutcome } from './messages';
import { sessionClaims, DRAFT_STORAGE_KEY } from '../session';

export interface Addressee {
  kind: 'topic' | 'team' | 'person';
  id: number;
  name: string;
  /** The number of people in the topic or team, if known. */
  people?: number;
}

/** The form's values. Times are in the format of `datetime-local`, by the device's clock. */
export interface ComposedMessage {
  to: readonly Addressee[];
  title: string;
  message: string;
  link: string;
  priority: Priority;
  answers: readonly string[];
  /** Those that call for help; undefined until the sender changes which. Some may be no answers. */
  helpAnswers?: readonly string[] | undefined;
  /** The translations are undefined until the sender asks for the fields. */
  translations?: NewTranslations | undefined;
  later: boolean;
  sendAt: string;
  /** The message expires at 20:00 that day, 24 hours after sending, or at `expiresAt`. */
  ends: 'today' | 'day' | 'time';
  expiresAt: string;
  /** The policy's id: null for none, undefined for the topic's policy. */
  policyId?: number | null | undefined;
}

export const EMPTY_MESSAGE: ComposedMessage = {
  to: [],
  title: '',
  message: '',
  link: '',
  priority: 'normal',
  answers: ['Got it'],
  later: false,
  sendAt: '',
  ends: 'day',
  expiresAt: '',
};

type MessageBody = Body<typeof SEND_MESSAGE>;

/** A request whose outcome is not final. */
interface SendAttempt {
  /** The form as JSON. */
  of: string;
  key: string;
  /** A retry sends the same body: its times depend on the first attempt. */
  body: MessageBody;
}

interface StoredDraft {
  person: number;
  writing: ComposedMessage;
  attempts: readonly SendAttempt[];
}

const SEND_MESSAGE = 'POST /api/admin/messages';
const MAX_STORED_ATTEMPTS = 5;
const EXAMPLE_DRAFT: StoredDraft = {
  person: 0,
  writing: { ...EMPTY_MESSAGE, to: [{ kind: 'topic', id: 0, name: '' }] },
  attempts: [{ of: '', key: '', body: { message: '' } }],
};

/** Call `restoreComposed` before the message is shown. */
export const composedMessage = signal(EMPTY_MESSAGE);
let attempts: readonly SendAttempt[] = [];

/** The draft that the form showed when the person left it. */
let leftDraft: ComposedMessage | undefined;

/** Call it when the form closes. */
export function leaveComposed(): void {
  leftDraft = composedMessage.peek();
}

/**
 * Restores this person's draft; another person's is deleted.
 * @returns whether the person wrote its text here earlier, before a reload or another page
 */
export function restoreComposed(): boolean {
  const known = composedMessage.peek();
  const stored = parseDraft(readStored(DRAFT_STORAGE_KEY));
  const ownDraft = stored?.person === sessionClaims.peek()?.id ? stored : undefined;
  if (!ownDraft) writeStored(DRAFT_STORAGE_KEY, null);
  composedMessage.value = ownDraft?.writing ?? EMPTY_MESSAGE;
  attempts = ownDraft?.attempts ?? [];
  const isEarlier = known === EMPTY_MESSAGE || known === leftDraft;
  return isEarlier && hasText(composedMessage.value);
}

function parseDraft(text: string | null): StoredDraft | undefined {
  try {
    const stored: unknown = JSON.parse(text ?? '');
    return matchesExample(stored, EXAMPLE_DRAFT) ? (stored as StoredDraft) : undefined;
  } catch {
    return undefined;
  }
}

function storeDraft(): void {
  const person = sessionClaims.peek()?.id;
  const stored = { person, writing: composedMessage.peek(), attempts };
  const hasBegun = stored.writing !== EMPTY_MESSAGE || attempts.length > 0;
  writeStored(DRAFT_STORAGE_KEY, person !== undefined && hasBegun ? JSON.stringify(stored) : null);
}

export function changeComposed(part: Partial<ComposedMessage>): void {
  composedMessage.value = { ...composedMessage.peek(), ...part };
  storeDraft();
}

/** Addresses this person's draft to one recipient; the rest of the draft stays. */
export function addressComposed(to: Addressee): void {
  restoreComposed();
  changeComposed({ to: [to] });
}

/** Returns how to bring the draft back, with the keys that prevent sending it twice. */
export function discardComposed(): () => void {
  const [draft, draftAttempts] = [composedMessage.peek(), attempts];
  composedMessage.value = EMPTY_MESSAGE;
  attempts = [];
  storeDraft();
  return () => {
    attempts = draftAttempts;
    changeComposed(draft);
  };
}

const hasText = ({ title, message, link }: ComposedMessage): boolean =>
  [title, message, link].some((text) => text.trim() !== '');

/** Whether there is text or a recipient to lose. */
export const hasDraftContent = (draft: ComposedMessage): boolean =>
  draft.to.length > 0 || hasText(draft);

/** Whether the message's text and times are filled in. */
export const isFilledIn = ({ message, later, sendAt, ends, expiresAt }: ComposedMessage): boolean =>
  message.trim() !== '' && (!later || sendAt !== '') && (ends !== 'time' || expiresAt !== '');

const filterIds = (to: ComposedMessage['to'], kind: Addressee['kind']) =>
  to.filter((candidate) => candidate.kind === kind).map(({ id }) => id);

/** The audience in the request body. */
export function composedAudience(to: ComposedMessage['to']) {
  const topicIds = filterIds(to, 'topic');
  const teamIds = filterIds(to, 'team');
  const userIds = filterIds(to, 'person');
  return {
    ...(topicIds.length && { topicIds }),
    ...(teamIds.length && { teamIds }),
    ...(userIds.length && { userIds }),
  };
}

/** The hour at which `today` expires. */
export const EVENING_HOUR = 20;
export const isEvening = (now = new Date()): boolean => now.getHours() >= EVENING_HOUR;

function getEndTime({ ends, later, expiresAt }: ComposedMessage): Date | undefined {
  if (ends === 'time') return new Date(expiresAt);
  if (ends === 'today' && !later && !isEvening())
    return new Date(new Date().setHours(EVENING_HOUR, 0, 0, 0));
  return undefined; // 24 hours after sending: the server has the same default
}

/** The visible title: the sender's, otherwise the first topic's, otherwise the sender's name. */
export const composedTitle = ({ title, to }: ComposedMessage): string =>
  title.trim() ||
  to.find(({ kind }) => kind === 'topic')?.name ||
  sessionClaims.peek()?.username ||
  '';

/** A topic's title may be longer. */
const MAX_SENT_TITLE_LENGTH = 100;
/**
 * Only a single topic's title comes from the server, as it is when it is read. With several topics,
 * each person would see the title of their own topic; with none, `Fieldbell`.
 */
const getSentTitle = (draft: ComposedMessage): string =>
  draft.to.filter(({ kind }) => kind === 'topic').length === 1
    ? draft.title.trim()
    : composedTitle(draft).slice(0, MAX_SENT_TITLE_LENGTH);

/** The answers in the request body, and which of them call for help. */
export const withHelpAnswers = (
  answers: readonly string[],
  helpAnswers: readonly string[] | undefined,
) => ({
  answers: [...answers],
  ...(helpAnswers && { helpAnswers: answers.filter((answer) => helpAnswers.includes(answer)) }),
});

const toTextFields = ({
  message,
  link,
  priority,
  answers,
  helpAnswers,
  translations,
}: ComposedMessage) => ({
  message: message.trim(),
  ...(link.trim() && { link: link.trim() }),
  priority,
  ...withHelpAnswers(answers, helpAnswers),
  ...(translations && { translations }),
});

function toBody(draft: ComposedMessage, undoSeconds: number): MessageBody {
  const { to, later, sendAt, policyId } = draft;
  const title = getSentTitle(draft);
  const end = getEndTime(draft);
  return {
    ...composedAudience(to),
    ...toTextFields(draft),
    ...(title && { title }),
    ...(later && { sendAt: new Date(sendAt).toISOString() }),
    ...(end && { expiresAt: end.toISOString() }),
    ...(policyId !== undefined && { policyId }),
    ...(undoSeconds > 0 && { undoSeconds }),
  };
}

export const SEND_FAILED = 'Failed to send the message.';

/**
 * Keeps the draft until the server accepts it, and with it the idempotency key, even after a
 * reload: no one is notified twice.
 * @param undoSeconds how long the server holds it back
 * @throws {ApiError}
 */
export async function sendComposed(draft: ComposedMessage, undoSeconds = 0): Promise<SentOutcome> {
  const content = JSON.stringify(draft);
  const attempt = attempts.find((candidate) => candidate.of === content) ?? {
    of: content,
    key: createIdempotencyKey(),
    body: toBody(draft, undoSeconds),
  };
  const otherAttempts = () => attempts.filter((candidate) => candidate.of !== content);
  attempts = [...otherAttempts(), attempt].slice(-MAX_STORED_ATTEMPTS);
  storeDraft();
  try {
    const outcome = await requestSend(attempt.body, attempt.key);
    const { message, priority, later } = draft;
    const title = composedTitle(draft);
    noteAccepted({
      id: outcome.messageId,
      title,
      message,
      priority,
      later,
      isHeld: undoSeconds > 0,
    });
    attempts = otherAttempts();
    if (JSON.stringify(composedMessage.peek()) === content) discardComposed();
    else storeDraft();
    return outcome;
  } catch (error) {
    if (isFinalRejection(error)) {
      attempts = otherAttempts();
      storeDraft();
    }
    throw error;
  }
}

/** An unchanged message can never succeed. */
const isFinalRejection = (error: unknown): boolean =>
  error instanceof ApiError && [400, 409, 422].includes(error.status);

/**
 * Sends the same text to the author, at once. In every list, its title says that it is a test.
 * @throws {ApiError}
 */
export async function sendToMe(draft: ComposedMessage): Promise<SentOutcome> {
  const body = {
    userIds: [sessionClaims.peek()?.id ?? 0],
    ...toTextFields(draft),
    title: `Test: ${composedTitle(draft)}`.slice(0, MAX_SENT_TITLE_LENGTH),
  };
  return withIdempotencyKey(SEND_MESSAGE, body, (key) => requestSend(body, key));
}

async function requestSend(body: MessageBody, idempotencyKey: string): Promise<SentOutcome> {
  const { message, messageId, notified } = await call(
    endpointInArea(getComposeArea(), SEND_MESSAGE),
    {
      body,
      idempotencyKey,
      fallback: SEND_FAILED,
      like: acceptedSchema,
    },
  );
  return { sentence: message, tone: notified ? '' : 'warn', messageId };
}

/** @throws {ApiError} 409 if nothing is left to cancel */
export const cancelMessage = (id: string): Promise<SentMessage> =>
  call(endpointInArea(getComposeArea(), 'POST /api/admin/messages/:id/cancel'), {
    params: { id },
    fallback: MESSAGE_CANCEL_FAILED,
    like: countedMessageSchema,
  });
