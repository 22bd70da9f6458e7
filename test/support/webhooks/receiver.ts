/**
 * Somebody else's receiver of webhooks, which knows of Standard Webhooks what its text says and
 * shares no code with the server. It takes everything, or misbehaves as it is told to.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { eventually } from '../eventually';
import { startTlsServer } from '../network/tls-server';

export interface ReceivedCall {
  path: string;
  /** `webhook-id`. */
  id: string;
  /** Whether it is signed with the secret of its path, at a time not further off than 5 minutes. */
  isGenuine: boolean;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: of any event
  body: { type: string; timestamp: string; data: any };
}

/** Answers a call. One that does not end the response hangs. */
export type Reply = (response: ServerResponse, call: ReceivedCall) => void;

export const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(code, headers).end();
export const redirect = (location: string): Reply => status(302, { location });
export const hang: Reply = () => undefined;
/** An answer without an end, a megabyte at a time as long as somebody reads it. */
export const endless =
  (code: number): Reply =>
  (response) => {
    response.writeHead(code);
    const more = (): void => {
      while (response.write(Buffer.alloc(1024 * 1024)));
      response.once('drain', more);
    };
    more();
  };

export interface Receiver {
  /** `localhost:PORT`, for the list of allowed hosts. */
  host: string;
  calls: ReceivedCall[];
  /** By path (`/name`), to check signatures with. */
  secrets: Map<string, string>;
  /** The answer on a path; everywhere else a call is taken. */
  replies: Map<string, Reply>;
  /** How many calls are under way on a path at this moment, and the most there were. */
  atOnce(path: string): { now: number; most: number };
  urlOf(path: string): string;
  /** Resolves once so many calls came. */
  arrived(count: number): Promise<ReceivedCall[]>;
  /** Ends all calls that hang, with 500. */
  endAll(): void;
  close(): Promise<void>;
}

/** @param now milliseconds since 1970 by its clock */
export async function startReceiver(now: () => number = Date.now): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const secrets = new Map<string, string>();
  const replies = new Map<string, Reply>();
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
    (replies.get(path) ?? status(204))(response, call);
  });

  return {
    host: `localhost:${port}`,
    calls,
    secrets,
    replies,
    atOnce: (path) => open.get(path) ?? { now: 0, most: 0 },
    urlOf: (path) => `https://localhost:${port}${path}`,
    arrived: (count) =>
      eventually(() => calls.length >= count && calls, `${count} calls of webhooks`),
    endAll() {
      for (const response of hanging) response.writeHead(500).end();
    },
    close,
  };
}

/** As a receiver does it who read the standard: secret, signed content, constant time, tolerance. */
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
