/**
 * Stands in for Google's cloud messaging as desktop Chromium uses it: check-in and registration
 * over HTTP, pushes over MCS (protobuf over TLS), and the endpoint
 * https://jmt17.google.com/fcm/send/… for servers. By Chromium's google_apis/gcm/protocol/*.proto.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { GcmConnection } from './gcm-connection';
import { bytesField, fixed64Field, numberField, readFields } from './protobuf';
import { localCertificate } from '../network/tls';
import { responding, startTlsServer, type TlsCall, type TlsReply } from '../network/tls-server';
import { createPushServiceFaults, type PushServiceFaults } from './push-service-faults';
import { vapidFault } from './vapid-check';

export interface Gcm {
  /** Switches that lead Chromium here. */
  switches: string[];
  /** The endpoint's host as servers know it. */
  host: 'jmt17.google.com';
  port: number;
  trace: string[];
  faults: PushServiceFaults;
  close(): Promise<void>;
}

interface Registration {
  app: string;
  subtype: string;
  /** The server's public key. */
  sender: string;
  /** Chromium's id from its check-in. */
  device: string;
}

const GCM_HOST = 'jmt17.google.com';

export async function startGcm(): Promise<Gcm> {
  const trace: string[] = [];
  const registrations = new Map<string, Registration>();
  const connections = new Map<string, GcmConnection>();
  /** Pushes that wait for a Chromium that is not connected. */
  const waiting = new Map<string, Buffer[]>();
  const { faults: trouble, rejection, deliver } = createPushServiceFaults();

  function registerByForm({ path, body }: TlsCall): TlsReply {
    if (path.startsWith('/checkin')) return checkIn(body);
    const form = Object.fromEntries(new URLSearchParams(body.toString('utf8')));
    const { app = '', 'X-subtype': subtype = '', sender = '', device = '' } = form;
    trace.push(form.delete === 'true' ? 'unregister' : 'register');
    if (form.delete === 'true') {
      for (const [token, known] of registrations)
        if (known.subtype === subtype) registrations.delete(token);
      return { status: 200, body: `token=${subtype}` };
    }
    const token = `${randomBytes(8).toString('hex')}:APA91b${randomBytes(60).toString('base64url')}`;
    registrations.set(token, { app, subtype, sender, device });
    return { status: 200, headers: { 'Content-Type': 'text/plain' }, body: `token=${token}` };
  }

  function acceptPush({ method, path, headers, body }: TlsCall): TlsReply {
    const reply = (status: number, text = '') => {
      trace.push(`push ${status} ${text}`);
      return { status, body: text };
    };
    const registration = registrations.get(
      decodeURIComponent(/^\/fcm\/send\/([^/]+)$/.exec(path)?.[1] ?? ''),
    );
    if (method !== 'POST' || !registration) return reply(410, 'unsubscribed');
    if (!/^\d+$/.test(headers.ttl?.toString() ?? '')) return reply(400, 'TTL is missing');
    if (body.length > 0 && headers['content-encoding'] !== 'aes128gcm')
      return reply(400, 'unknown content coding');
    const fault = vapidFault(headers.authorization, {
      audience: `https://${GCM_HOST}`,
      key: registration.sender,
    });
    if (fault) return reply(403, fault);
    const refused = rejection();
    if (refused) return reply(refused, 'as a story asks');
    const { device } = registration;
    const message = dataMessage(registration, body);
    deliver(() => {
      const connection = connections.get(device);
      if (connection) connection.sendData(message);
      else waiting.set(device, [...(waiting.get(device) ?? []), message]);
    });
    return reply(201, connections.has(device) ? 'sent on' : 'kept until Chromium connects');
  }

  const forms = createServer(responding(registerByForm)).listen(0, '127.0.0.1');
  await once(forms, 'listening');
  const endpoint = await startTlsServer(responding(acceptPush));
  const downstream = createTlsServer(localCertificate(), (socket) => {
    const connection = new GcmConnection(socket, (device) => {
      trace.push('connected');
      connections.set(device, connection);
      for (const message of waiting.get(device) ?? []) connection.sendData(message);
      waiting.delete(device);
    });
  });
  downstream.listen(0, '127.0.0.1');
  await once(downstream, 'listening');

  const base = `http://127.0.0.1:${(forms.address() as AddressInfo).port}`;
  return {
    switches: [
      `--gcm-checkin-url=${base}/checkin`,
      `--gcm-registration-url=${base}/register`,
      `--gcm-mcs-endpoint=https://127.0.0.1:${(downstream.address() as AddressInfo).port}`,
      '--ignore-certificate-errors',
    ],
    host: GCM_HOST,
    port: endpoint.port,
    trace,
    faults: trouble,
    async close() {
      forms.closeAllConnections();
      forms.close();
      for (const connection of connections.values()) connection.close();
      downstream.close();
      await endpoint.close();
    },
  };
}

/** Repeats the ids that Chromium sends, or gives new ones. */
function checkIn(body: Buffer): TlsReply {
  const fields = readFields(body);
  const known = (field: number) => {
    const [value] = fields.get(field) ?? [];
    return typeof value === 'bigint' && value > 0n ? value : randomBytes(8).readBigUInt64LE() >> 2n;
  };
  const responses = [
    numberField(1, 1),
    numberField(3, Date.now()),
    fixed64Field(7, known(2)),
    fixed64Field(8, known(13)),
  ];
  return {
    status: 200,
    headers: { 'Content-Type': 'application/x-protobuf' },
    body: Buffer.concat(responses),
  };
}

function dataMessage({ app, subtype, sender }: Registration, body: Buffer): Buffer {
  const appData = (key: string, value: string) =>
    bytesField(7, Buffer.concat([bytesField(1, key), bytesField(2, value)]));
  const id = `0:${Date.now()}%${randomBytes(4).toString('hex')}`;
  return Buffer.concat([
    bytesField(3, sender),
    bytesField(5, app),
    appData('subtype', subtype),
    bytesField(9, id),
    numberField(18, Math.floor(Date.now() / 1000)),
    // An empty push has nothing to encrypt.
    ...(body.length > 0 ? [appData('content-encoding', 'aes128gcm'), bytesField(21, body)] : []),
  ]);
}
