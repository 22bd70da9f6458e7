/** A push service (RFC 8030) that accepts everything, unless a test makes it misbehave. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createPushSubscriber, type PushSubscriber } from './subscriber';
import { startTlsServer } from '../network/tls-server';

/** Milliseconds until a push that did not arrive fails the test. */
const MAX_ARRIVAL_MS = 30_000;

export interface ReceivedPush {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A reply that does not end the response hangs. */
export type SinkReply = (response: ServerResponse, push: ReceivedPush) => void;

export const replyCreated: SinkReply = (response) => response.writeHead(201).end();
export const sinkReplyWithStatus =
  (code: number, headers: Record<string, string> = {}): SinkReply =>
  (response) =>
    response.writeHead(code, headers).end();
export const sinkReplyNever: SinkReply = () => undefined;

export interface PushSink {
  /** `localhost:PORT`. */
  host: string;
  port: number;
  receivedPushes: ReceivedPush[];
  /** Replies by path (`/name`); other pushes are accepted. */
  replies: Map<string, SinkReply>;
  /** A subscription with the endpoint `/name` as a device token, and the keys of its pushes. */
  subscribe(name: string): { token: string; subscriber: PushSubscriber };
  /** Resolves with the pushes once `count` have arrived; rejects if they do not arrive. */
  waitForPushes(count: number): Promise<ReceivedPush[]>;
  close(): Promise<void>;
}

export async function startPushSink(): Promise<PushSink> {
  const receivedPushes: ReceivedPush[] = [];
  const replies = new Map<string, SinkReply>();
  const waiting = new Set<() => void>();

  const { port, close } = await startTlsServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const push = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
    receivedPushes.push(push);
    for (const check of waiting) check();
    (replies.get(push.path) ?? replyCreated)(response, push);
  });

  return {
    host: `localhost:${port}`,
    port,
    receivedPushes,
    replies,
    subscribe(name) {
      const subscriber = createPushSubscriber();
      const endpoint = `https://localhost:${port}/${name}`;
      return {
        token: JSON.stringify({ endpoint, expirationTime: null, keys: subscriber.keys }),
        subscriber,
      };
    },
    waitForPushes: (count) =>
      new Promise((resolve, reject) => {
        const failing = setTimeout(
          () => reject(new Error(`${receivedPushes.length} of ${count} pushes arrived`)),
          MAX_ARRIVAL_MS,
        );
        const check = () => {
          if (receivedPushes.length < count) return;
          clearTimeout(failing);
          waiting.delete(check);
          resolve(receivedPushes);
        };
        waiting.add(check);
        check();
      }),
    close,
  };
}
