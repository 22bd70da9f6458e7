/**
 * A phone of the sample: it takes pushes as a browser does, and its person reads and answers. The
 * sample's history and the running demo both ask it what happens with a push.
 */
import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';
import type { Receipt } from '../../src/shared/contract';
import { readPushMessage } from '../../src/shared/push-message';

/**
 * `late`: asleep for more than a minute. `silent`: accepts pushes and never displays one. `refused`:
 * its push service answers 400. `lost`: answers 410 from the sample's history on; `leaving`: from
 * the first push of the running demo on.
 */
export type Habit = 'prompt' | 'late' | 'silent' | 'refused' | 'lost' | 'leaving';

export interface Phone {
  deviceId: number;
  userId: number;
  /** With it the phone reports receipts. */
  deviceKey: string;
  habit: Habit;
  /** Whether its person reads on it: on one of their devices. */
  isUsed: boolean;
  /** Milliseconds from an accepted push to its display, roughly. */
  delay: number;
  keys: Keys;
  /** Messages that its person has read or answered. */
  done: Set<string>;
}

/** The browser's half of a Web Push subscription. */
interface Keys {
  ecdh: ECDH;
  auth: Buffer;
}

export const makeKeys = (): Keys => {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return { ecdh, auth: randomBytes(16) };
};

/** The token under which a browser would register. */
export const tokenOf = ({ ecdh, auth }: Keys, endpoint: string): string =>
  JSON.stringify({
    endpoint,
    expirationTime: null,
    keys: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
  });

/** As far as a phone looks at it. */
export interface Push {
  id: string;
  answers: readonly string[];
  round: number;
  isTest: boolean;
  /** A digest is displayed, and its messages are read in the app. */
  isInInbox: boolean;
}

/** What the phone reports, so many milliseconds after it got the push. */
export interface Doing extends Pick<Receipt, 'kind' | 'answer'> {
  after: number;
}

const SECOND = 1000;
/** Far more than anybody sends in a demo. */
const MAX_DONE = 500;

/** How the push service answers: 201 for a push that it takes. */
export function statusOf({ habit }: Phone, isRunning: boolean): number {
  if (habit === 'refused') return 400;
  return habit === 'lost' || (habit === 'leaving' && isRunning) ? 410 : 201;
}

/**
 * @param random as `Math.random`
 * @param pace how many times longer than in a demo people take to read and to answer
 */
export function react(phone: Phone, push: Push, random: () => number, pace = 1): Doing[] {
  if (phone.habit === 'silent') return [];
  const between = (from: number, to: number) =>
    Math.round((from + (to - from) * random()) * SECOND);
  const shown = phone.habit === 'late' ? between(65, 110) : phone.delay + between(0, 1);
  const displayed: Doing = { kind: 'displayed', after: shown };
  if (push.isTest) return [{ kind: 'received', after: Math.max(0, shown - 300) }, displayed];
  const mayRead = phone.isUsed && push.isInInbox && !phone.done.has(push.id);
  if (!mayRead || random() > 0.75) return [displayed];
  const readAfter = shown + between(3, 25) * pace;
  const read: Doing = { kind: 'read', after: readAfter };
  const isAnswering = push.answers.length > 0 && random() < 0.8;
  if (push.answers.length === 0 || isAnswering) remember(phone.done, push.id);
  if (!isAnswering) return [displayed, read];
  const answer = push.answers[random() < 0.8 ? 0 : push.answers.length - 1];
  const after = readAfter + between(2, 12) * pace;
  return [
    displayed,
    read,
    { kind: 'acknowledged', after, ...(answer !== undefined && { answer }) },
  ];
}

function remember(done: Set<string>, id: string): void {
  const [oldest] = done;
  if (done.size >= MAX_DONE && oldest !== undefined) done.delete(oldest);
  done.add(id);
}

const HEADER = 86;
const TAG = 16;

/**
 * Reads a push body (RFC 8291; one record of RFC 8188 with the sender's key of 65 bytes).
 * @throws if it was not encrypted for this phone
 */
export function readPush(body: Buffer, { ecdh, auth }: Keys): Push | undefined {
  if (body.length <= HEADER + TAG) throw new Error('The body is too short');
  const [salt, sender] = [body.subarray(0, 16), body.subarray(21, HEADER)];
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${purpose}\0`, length));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(body.subarray(-TAG));
  const text = Buffer.concat([decipher.update(body.subarray(HEADER, -TAG)), decipher.final()]);
  // Behind the text is 2, then padding.
  const { id, answers, round, isTest, seq } = readPushMessage(
    JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString()),
  );
  return id === undefined
    ? undefined
    : { id, answers, round, isTest, isInInbox: seq !== undefined };
}
