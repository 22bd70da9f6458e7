/**
 * A receiver of webhooks written from the text of Standard Webhooks. It accepts everything, or
 * misbehaves as a test says.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { eventually } from '../eventually';
import { startTlsServer } from '../network/tls-server';

export interface ReceivedCall {
  path: string;
  id: string;
  /** Whether the call was signed with the path's secret within the last 5 minutes. */
  isGenuine: boolean;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: of any event
  body: { type: string; timestamp: string; data: any };
}

/** A reply that does not end the response hangs. */
export type ReceiverReply = (response: ServerResponse, call: ReceivedCall) => void;

export const receiverReplyWithStatus =
  (code: number, headers: Record<string, string> = {}): ReceiverReply =>
  (response) =>
    response.writeHead(code, headers).end();
export const replyWithRedirect = (location: string): ReceiverReply =>
  receiverReplyWithStatus(302, { location });
export const receiverReplyNever: ReceiverReply = () => undefined;
/** An endless answer, a megabyte at a time while someone reads it. */
export const replyEndlessly =
  (code: number): ReceiverReply =>
  (response) => {
    response.writeHead(code);
    const more = (): void => {
      while (response.write(Buffer.alloc(1024 * 1024)));
      response.once('drain', more);
    };
    more();
  };

export interface WebhookReceiver {
  /** `localhost:PORT`. */
  host: string;
  calls: ReceivedCall[];
  /** The secrets by path (`/name`). */
  secrets: Map<string, string>;
  /** Replies by path; other calls are accepted. */
  replies: Map<string, ReceiverReply>;
  /** How many calls a path has now, and had at most at once. */
  countAtOnce(path: string): { now: number; most: number };
  urlOf(path: string): string;
  /** Resolves once `count` calls have arrived. */
  waitForCalls(count: number): Promise<ReceivedCall[]>;
  /** Ends hanging calls with 500. */
  endHangingCalls(): void;
  close(): Promise<void>;
}

/** @param now its clock, milliseconds since 1970 */
export async function startReceiver(now: () => number = Date.now): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  const secrets = new Map<string, string>();
  const replies = new Map<string, ReceiverReply>();
  const hanging = new Set<ServerResponse>();
  const open = new Map<string, { now: number; most: number }>();

  const { port, close } = await startTlsServer(async (request, response) => {
    const path = request.url ?? '';
    const count = open.get(path) ?? { now: 0, most: 0 };
    open.set(path, count);
    count.now += 1;
    count.most = Math.max(count.most, count.now);
    hanging.add(response);
    response.once('close', () => {
      hanging.delete(response);
      count.now -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { headers } = request;
    const call: ReceivedCall = {
      path,
      id: String(headers['webhook-id']),
      isGenuine: isGenuine(headers, text, secrets.get(path) ?? '', now()),
      headers,
      body: JSON.parse(text),
    };
    calls.push(call);
    (replies.get(path) ?? receiverReplyWithStatus(204))(response, call);
  });

  return {
    host: `localhost:${port}`,
    calls,
    secrets,
    replies,
    countAtOnce: (path) => open.get(path) ?? { now: 0, most: 0 },
    urlOf: (path) => `https://localhost:${port}${path}`,
    waitForCalls: (count) =>
      eventually(() => calls.length >= count && calls, `${count} calls of webhooks`),
    endHangingCalls() {
      for (const response of hanging) response.writeHead(500).end();
    },
    close,
  };
}

/** Checks what the standard demands: secret, signed content, constant time, tolerance. */
function isGenuine(
  headers: IncomingHttpHeaders,
  body: string,
  secret: string,
  now: number,
): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`] ?? ''),
  );
  if (!id || !timestamp || !signatures || !secret.startsWith('whsec_')) return false;
  if (Math.abs(now / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update([id, timestamp, body].join('.')).digest();
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
