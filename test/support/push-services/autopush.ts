/**
 * Stands in for Mozilla's push service: Firefox's websocket, and the endpoint for servers (RFC
 * 8030). Protocol: https://mozilla-services.github.io/autopush-rs/.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { responding, startTlsServer, type TlsCall, type TlsReply } from '../network/tls-server';
import { createPushServiceFaults, type PushServiceFaults } from './push-service-faults';
import { vapidFault } from './vapid-check';

export interface Autopush {
  /** The value of Firefox's `dom.push.serverURL`. */
  url: string;
  /** The host of the endpoints, `localhost:PORT`. */
  host: string;
  port: number;
  /** A line for each event, without keys, to show when a test fails. */
  trace: string[];
  faults: PushServiceFaults;
  /** Forgets every subscription and cuts the connections, as after a loss of data. */
  loseSubscriptions(): void;
  close(): Promise<void>;
}

interface Channel {
  agent: string;
  /** The key of the server that may send, if restricted. */
  key: string | undefined;
}

interface Notification {
  messageType: 'notification';
  channelID: string;
  version: string;
  data?: string;
  headers?: { encoding: 'aes128gcm' };
}

type Incoming =
  | { messageType: 'hello'; uaid?: string }
  | { messageType: 'register'; channelID: string; key?: string }
  | { messageType: 'unregister'; channelID: string }
  | { messageType: 'ack'; updates: { version: string; code: number }[] }
  | { messageType: 'nack' | 'broadcast_subscribe' };

export async function startAutopush(): Promise<Autopush> {
  const trace: string[] = [];
  const channels = new Map<string, Channel>();
  const sockets = new Map<string, WebSocket>();
  /** Unacknowledged pushes by user agent, sent again when the user agent reconnects. */
  const waiting = new Map<string, Notification[]>();
  const { faults: trouble, rejection, deliver } = createPushServiceFaults();

  const endpoint = await startTlsServer(responding(acceptPush));
  const host = `localhost:${endpoint.port}`;

  function acceptPush({ method, path, headers, body }: TlsCall): TlsReply {
    const reply = (status: number, message = '') => {
      trace.push(`push ${status} ${message}`);
      return { status, body: message };
    };
    const [, agent = '', id = ''] =
      /^\/wpush\/v2\/([0-9a-f]{32})\/([0-9a-f-]{36})$/.exec(path) ?? [];
    const channel = channels.get(id);
    if (method !== 'POST' || !agent) return reply(404, 'no such endpoint');
    if (channel?.agent !== agent) return reply(410, 'unsubscribed');
    if (!/^\d+$/.test(headers.ttl?.toString() ?? '')) return reply(400, 'TTL is missing');
    if (body.length > 4096) return reply(413, 'too large');
    if (body.length > 0 && headers['content-encoding'] !== 'aes128gcm')
      return reply(400, 'unknown content coding');
    const fault =
      channel.key &&
      vapidFault(headers.authorization, { audience: `https://${host}`, key: channel.key });
    if (fault) return reply(401, fault);
    const refused = rejection();
    if (refused) return reply(refused, 'as a story asks');

    const notification: Notification = {
      messageType: 'notification',
      channelID: id,
      version: randomUUID(),
    };
    if (body.length > 0)
      Object.assign(notification, {
        data: body.toString('base64url'),
        headers: { encoding: 'aes128gcm' },
      });
    deliver(() => {
      waiting.get(agent)?.push(notification);
      sockets.get(agent)?.send(JSON.stringify(notification));
    });
    return reply(201, sockets.has(agent) ? 'sent on' : 'kept until Firefox connects');
  }

  function converse(socket: WebSocket): void {
    let agent = '';
    const reply = (message: object) => socket.send(JSON.stringify(message));
    socket.on('message', (data) => {
      const text = String(data);
      if (text === '{}') return reply({}); // a ping
      const message = JSON.parse(text) as Incoming;
      if (message.messageType !== 'ack') trace.push(message.messageType);
      switch (message.messageType) {
        case 'hello':
          agent =
            message.uaid && waiting.has(message.uaid)
              ? message.uaid
              : randomBytes(16).toString('hex');
          sockets.set(agent, socket);
          if (!waiting.has(agent)) waiting.set(agent, []);
          reply({
            messageType: 'hello',
            status: 200,
            uaid: agent,
            use_webpush: true,
            broadcasts: {},
          });
          for (const notification of waiting.get(agent) ?? []) reply(notification);
          break;
        case 'register': {
          const { channelID, key } = message;
          channels.set(channelID, { agent, key });
          reply({
            messageType: 'register',
            status: 200,
            channelID,
            pushEndpoint: `https://${host}/wpush/v2/${agent}/${channelID}`,
          });
          break;
        }
        case 'unregister':
          channels.delete(message.channelID);
          reply({ messageType: 'unregister', status: 200, channelID: message.channelID });
          break;
        case 'ack':
          // 100: delivered to the worker; 101: could not be decrypted; 102: not delivered.
          for (const { version, code } of message.updates) {
            trace.push(`ack ${code}`);
            waiting.set(
              agent,
              (waiting.get(agent) ?? []).filter((notification) => notification.version !== version),
            );
          }
      }
    });
    socket.on('close', () => {
      if (sockets.get(agent) === socket) sockets.delete(agent);
    });
  }

  const server = createServer();
  const websockets = new WebSocketServer({ server, handleProtocols: () => 'push-notification' });
  websockets.on('connection', converse);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    host,
    port: endpoint.port,
    trace,
    faults: trouble,
    loseSubscriptions() {
      channels.clear();
      waiting.clear();
      for (const client of websockets.clients) client.terminate();
    },
    async close() {
      for (const client of websockets.clients) client.terminate();
      server.close();
      await endpoint.close();
    },
  };
}
