/** A phone of the sample, for its history and the running demo: reacts to pushes as people do. */
import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';
import type { Receipt } from '../../../src/shared/contract';
import { readPushMessage } from '../../../src/shared/push-message';
import { SECOND_MS } from '../../lib/durations';

/** The push service returns 400 for `refused`, 410 for `lost`; later also for `leaving`. */
export type PhoneBehavior = 'prompt' | 'late' | 'silent' | 'refused' | 'lost' | 'leaving';

export interface Phone {
  deviceId: number;
  userId: number;
  deviceKey: string;
  behavior: PhoneBehavior;
  /** Whether the person reads messages on this phone: everyone reads on one device. */
  isUsed: boolean;
  /** Approximate milliseconds from an accepted push to its display. */
  delay: number;
  keys: Keys;
  done: Set<string>;
}

interface Keys {
  ecdh: ECDH;
  auth: Buffer;
}

export const generateKeys = (): Keys => {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return { ecdh, auth: randomBytes(16) };
};

export const createPushToken = ({ ecdh, auth }: Keys, endpoint: string): string =>
  JSON.stringify({
    endpoint,
    expirationTime: null,
    keys: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
  });

export interface Push {
  id: string;
  answers: readonly string[];
  round: number;
  isTest: boolean;
  /** False for a digest: its messages are read in the app. */
  isInInbox: boolean;
}

/** A receipt, `after` milliseconds behind the push. */
export interface PhoneAction extends Pick<Receipt, 'kind' | 'answer'> {
  after: number;
}

const MAX_HANDLED_PUSHES = 500;

export function choosePushStatus({ behavior }: Phone, isRunning: boolean): number {
  if (behavior === 'refused') return 400;
  return behavior === 'lost' || (behavior === 'leaving' && isRunning) ? 410 : 201;
}

export function reactToPush(
  phone: Phone,
  push: Push,
  random: () => number,
  pace = 1,
): PhoneAction[] {
  if (phone.behavior === 'silent') return [];
  const randomBetween = (from: number, to: number) =>
    Math.round((from + (to - from) * random()) * SECOND_MS);
  const displayDelay =
    phone.behavior === 'late' ? randomBetween(65, 110) : phone.delay + randomBetween(0, 1);
  const displayAction: PhoneAction = { kind: 'displayed', after: displayDelay };
  if (push.isTest)
    return [{ kind: 'received', after: Math.max(0, displayDelay - 300) }, displayAction];
  const mayRead = phone.isUsed && push.isInInbox && !phone.done.has(push.id);
  if (!mayRead || random() > 0.75) return [displayAction];
  const readAfter = displayDelay + randomBetween(3, 25) * pace;
  const readAction: PhoneAction = { kind: 'read', after: readAfter };
  const isAnswering = push.answers.length > 0 && random() < 0.8;
  if (push.answers.length === 0 || isAnswering) remember(phone.done, push.id);
  if (!isAnswering) return [displayAction, readAction];
  const answer = push.answers[random() < 0.8 ? 0 : push.answers.length - 1];
  const actionTime = readAfter + randomBetween(2, 12) * pace;
  return [
    displayAction,
    readAction,
    { kind: 'acknowledged', after: actionTime, ...(answer !== undefined && { answer }) },
  ];
}

function remember(reportedIds: Set<string>, id: string): void {
  const [oldest] = reportedIds;
  if (reportedIds.size >= MAX_HANDLED_PUSHES && oldest !== undefined) reportedIds.delete(oldest);
  reportedIds.add(id);
}

const HEADER_BYTES = 86;
const TAG_BYTES = 16;

/**
 * Decrypts a push (RFC 8291).
 * @throws if it was encrypted for another phone
 */
export function readPush(body: Buffer, { ecdh, auth }: Keys): Push | undefined {
  if (body.length <= HEADER_BYTES + TAG_BYTES) throw new Error('The body is too short');
  const [salt, sender] = [body.subarray(0, 16), body.subarray(21, HEADER_BYTES)];
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${purpose}\0`, length));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(body.subarray(-TAG_BYTES));
  const text = Buffer.concat([
    decipher.update(body.subarray(HEADER_BYTES, -TAG_BYTES)),
    decipher.final(),
  ]);
  // A byte 2 ends the text; padding follows.
  const { id, answers, round, isTest, seq } = readPushMessage(
    JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString()),
  );
  return id === undefined
    ? undefined
    : { id, answers, round, isTest, isInInbox: seq !== undefined };
}
