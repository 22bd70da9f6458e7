/** Local stand-ins for the phones' push service and two webhook receivers. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate, type Certificate } from './certificate';

const LOOPBACK_HOST = '127.0.0.1';
/** RFC 8030, section 7.2. Webhook calls are longer. */
const MAX_PUSH_BYTES = 4096;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 256;

const RECEIVERS = { '/sms-gateway': 204, '/control-room': 500 } as const;
export type Receiver = keyof typeof RECEIVERS;
export const receiverStatus = (path: string): number =>
  path in RECEIVERS ? RECEIVERS[path as Receiver] : 404;

/**
 * @param place last part of the endpoint's path.
 * @returns the status to return
 */
export type PushResponder = (endpointId: string, body: Buffer) => number;

export interface PushService {
  certificate: Certificate;
  /** `127.0.0.1:PORT`, for the lists of allowed hosts. */
  host: string;
  endpoint(place: string): string;
  receiver(path: Receiver): string;
  /** Sets the handler. Before that, pushes get 503. */
  onPush(handlePush: PushResponder): void;
  close(): Promise<void>;
}

export async function startPushService(): Promise<PushService> {
  const certificate = makeCertificate([LOOPBACK_HOST]);
  let handlePush: PushResponder = () => 503;
  const server = createServer(certificate, (request, response) => {
    void respond(request, response, (place, body) => handlePush(place, body));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(0, LOOPBACK_HOST);
  await once(server, 'listening');
  const host = `${LOOPBACK_HOST}:${(server.address() as AddressInfo).port}`;
  return {
    certificate,
    host,
    endpoint: (place) => `https://${host}/push/${place}`,
    receiver: (path) => `https://${host}${path}`,
    onPush(responder) {
      handlePush = responder;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  handlePush: PushResponder,
): Promise<void> {
  const { method, url = '', headers } = request;
  const [, place] = /^\/push\/([\w-]{1,64})$/.exec(url) ?? [];
  const end = (status: number) => void response.writeHead(status).end();
  try {
    const body = await readBody(request, place === undefined ? MAX_BODY_BYTES : MAX_PUSH_BYTES);
    if (method !== 'POST') return end(405);
    if (body === undefined) return end(413);
    if (place === undefined) return end(receiverStatus(url));
    // RFC 8292, and RFC 8030, section 5.2.
    if (!headers.authorization?.startsWith('vapid ')) return end(401);
    if (headers.ttl === undefined) return end(400);
    end(handlePush(place, body));
  } catch {
    // The connection closed, or the push was encrypted for another phone.
    if (!response.headersSent) end(400);
  }
}

async function readBody(request: IncomingMessage, max: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= max) chunks.push(chunk as Buffer);
  }
  return size > max ? undefined : Buffer.concat(chunks);
}
