/**
 * Stands in for Firebase Cloud Messaging: installations, registrations, the OAuth endpoint and HTTP
 * v1 send. Encrypts messages again for the browser's push service, as FCM does.
 */
import { createPublicKey, generateKeyPairSync, randomBytes, randomUUID, verify } from 'node:crypto';
import { request } from 'node:https';
import webPush from 'web-push';
import { localCertificate } from '../network/tls';
import { responding, startTlsServer, type TlsCall, type TlsReply } from '../network/tls-server';

const PROJECT_ID = 'demo';
const SENDER_ID = '123456789012';

/** The Firebase console's values, for the build's FIREBASE_CONFIG. */
export const FIREBASE_CONFIG = {
  apiKey: 'AIzaSyA-local-local-local-local-local-lo',
  projectId: PROJECT_ID,
  appId: `1:${SENDER_ID}:web:abcdef0123456789abcdef`,
  messagingSenderId: SENDER_ID,
};

const vapid = webPush.generateVAPIDKeys();
/** The value of the build's FIREBASE_VAPID_KEY. */
export const FIREBASE_VAPID_KEY = vapid.publicKey;

const GOOGLE_HOSTS = ['firebaseinstallations', 'fcmregistrations', 'fcm', 'oauth2'].map(
  (name) => `${name}.googleapis.com`,
);

export interface Fcm {
  /** The hosts that this server stands in for, all at `port`. */
  hosts: string[];
  port: number;
  /** The service account, as JSON. */
  serviceAccount: string;
  trace: string[];
  /**
   * The next call with `part` in its path is answered with this status, and with `body` or Google's
   * error for it. Further faults of one part wait for further calls.
   */
  failNextCall(
    part: 'installations?' | 'authTokens' | 'registrations',
    status: number,
    body?: object,
  ): void;
  /** The SDK must renew an installation's token before each use. */
  shortenInstallations(): void;
  /** Pushes any text to every registered browser. Resolves with the push services' answers. */
  pushToAll(payload: string): Promise<number[]>;
  /** Installation IDs begin with `fid:`. */
  listTokens(): string[];
  close(): Promise<void>;
}

interface Registered {
  endpoint: string;
  p256dh: string;
  auth: string;
  applicationPubKey?: string;
}

interface SentMessage {
  fid?: string;
  token?: string;
  data?: Record<string, string>;
  webpush?: { headers?: Record<string, string> };
}

/** @param pushPorts local ports of browsers' push services by host name */
export async function startFcm(pushPorts: Record<string, number>): Promise<Fcm> {
  const trace: string[] = [];
  const account = createServiceAccount();
  const installations = new Map<string, string>();
  const accessTokens = new Set<string>();
  const devices = new Map<string, Registered>();
  const faults: { part: string; reply: TlsReply }[] = [];
  let lifetime = '604800s';

  const routes: [RegExp, (call: TlsCall, parameters: string[]) => TlsReply | Promise<TlsReply>][] =
    [
      [
        /^POST \/v1\/projects\/[^/]+\/installations$/,
        (call) => install(JSON.parse(call.body.toString()).fid),
      ],
      [
        /^POST \/v1\/projects\/[^/]+\/installations\/([^/]+)\/authTokens:generate$/,
        (_, [id = '']) => json(200, authToken(id)),
      ],
      [
        /^DELETE \/v1\/projects\/[^/]+\/installations\/([^/]+)$/,
        (_, [id = '']) => {
          forget(id);
          return json(200, {});
        },
      ],
      [
        /^(?:POST|PATCH) \/v1\/projects\/[^/]+\/registrations(?:\/([^/]+))?$/,
        (call, [token]) => register(call, token),
      ],
      [
        /^DELETE \/v1\/projects\/[^/]+\/registrations\/([^/]+)$/,
        (_, [token = '']) =>
          json(devices.delete(`fid:${token}`) || devices.delete(token) ? 200 : 404, {}),
      ],
      [/^POST \/token$/, grant],
      [/^POST \/v1\/projects\/demo\/messages:send$/, send],
    ];

  async function handle(call: TlsCall): Promise<TlsReply> {
    if (call.method === 'OPTIONS') return { status: 204, headers: CORS_HEADERS };
    const line = `${call.method} ${call.path}`;
    const fault = faults.findIndex(({ part }) => `${call.path}?`.includes(part));
    if (fault >= 0) {
      const [{ reply }] = faults.splice(fault, 1);
      trace.push(`${line.replace(/[\w:-]{22,}/g, '…')} ${reply.status} on purpose`);
      return reply;
    }
    for (const [pattern, respond] of routes) {
      const match = pattern.exec(line);
      if (!match) continue;
      const reply = await respond(call, match.slice(1));
      trace.push(`${line.replace(/[\w:-]{22,}/g, '…')} ${reply.status}`);
      return reply;
    }
    trace.push(`${line} is not played`);
    return rejection(404, 'NOT_FOUND');
  }

  function authToken(id: string): object {
    const token = `installation.${random()}`;
    installations.set(token, id);
    return { token, expiresIn: lifetime };
  }

  function install(requestedId: string | undefined): TlsReply {
    const fid = requestedId || `c${random().slice(0, 21)}`;
    return json(200, {
      name: `projects/${SENDER_ID}/installations/${fid}`,
      fid,
      refreshToken: `2_${random()}`,
      authToken: authToken(fid),
    });
  }

  function register(call: TlsCall, token: string | undefined): TlsReply {
    const id = installations.get(
      String(call.headers['x-goog-firebase-installations-auth']).replace(/^FIS /, ''),
    );
    if (!id) return rejection(401, 'UNAUTHENTICATED');
    const { web, fcm_sdk_version: isById } = JSON.parse(call.body.toString()) as {
      web: Registered;
      fcm_sdk_version?: string;
    };
    // The build's key must be the project's, or no one could send to the subscription.
    if (web.applicationPubKey !== vapid.publicKey) return rejection(403, 'PERMISSION_DENIED');
    const given = isById
      ? `fid:${id}`
      : (token ?? `${id}:APA91b${randomBytes(96).toString('base64url')}`);
    forget(id);
    devices.set(given, web);
    const name = `projects/${PROJECT_ID}/registrations/${id}`;
    return json(200, isById ? { name, web } : { name, token: given, web });
  }

  /** A new registration of an installation, by ID or by token, ends the earlier ones. */
  function forget(id: string): void {
    for (const token of devices.keys())
      if (token === `fid:${id}` || token.startsWith(`${id}:`)) devices.delete(token);
  }

  /** RFC 7523: the service account signs the assertion for this endpoint. */
  function grant(call: TlsCall): TlsReply {
    const [head = '', claims = '', signature = ''] =
      new URLSearchParams(call.body.toString()).get('assertion')?.split('.') ?? [];
    const genuine = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      account.publicKey,
      Buffer.from(signature, 'base64url'),
    );
    const assertion = genuine ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : {};
    if (
      assertion.iss !== account.email ||
      assertion.aud !== account.tokenUri ||
      assertion.exp * 1000 < Date.now()
    ) {
      return json(400, { error: 'invalid_grant' });
    }
    const token = `access.${random()}`;
    accessTokens.add(token);
    return json(200, { access_token: token, expires_in: 3599, token_type: 'Bearer' });
  }

  async function send(call: TlsCall): Promise<TlsReply> {
    if (!accessTokens.has(String(call.headers.authorization).replace(/^Bearer /, '')))
      return rejection(401, 'UNAUTHENTICATED');
    const { message } = JSON.parse(call.body.toString()) as { message: SentMessage };
    const device = devices.get(message.fid ? `fid:${message.fid}` : (message.token ?? ''));
    const unregistered = () => rejection(404, 'NOT_FOUND', [{ errorCode: 'UNREGISTERED' }]);
    if (!device) return unregistered();
    const status = await pushOn(device, message, pushPorts);
    trace.push(`the push service said ${status}`);
    if (status === 404 || status === 410) return unregistered();
    return status < 300
      ? json(200, { name: `projects/${PROJECT_ID}/messages/${randomUUID()}` })
      : rejection(400, 'INVALID_ARGUMENT');
  }

  const { port, close } = await startTlsServer(responding(handle));
  return {
    hosts: GOOGLE_HOSTS,
    port,
    serviceAccount: account.json,
    trace,
    failNextCall: (part, status, body) =>
      void faults.push({ part, reply: body ? json(status, body) : rejection(status, 'FAULT') }),
    shortenInstallations: () => void (lifetime = '1s'),
    pushToAll: (payload) =>
      Promise.all(
        [...devices.values()].map((device) =>
          encryptAndPush(device, payload, { TTL: 60, urgency: 'high' }, pushPorts),
        ),
      ),
    listTokens: () => [...devices.keys()],
    close,
  };
}

/** The push that FCM sends to the messaging SDK's worker. */
function pushOn(
  device: Registered,
  { data, webpush }: SentMessage,
  pushPorts: Record<string, number>,
): Promise<number> {
  const { TTL = '2419200', Urgency = 'normal' } = webpush?.headers ?? {};
  const payload = {
    from: SENDER_ID,
    fcmMessageId: randomUUID(),
    priority: Urgency === 'high' ? 'high' : 'normal',
    data,
  };
  return encryptAndPush(
    device,
    JSON.stringify(payload),
    { TTL: Number(TTL), urgency: Urgency },
    pushPorts,
  );
}

function encryptAndPush(
  device: Registered,
  payload: string,
  { TTL, urgency }: { TTL: number; urgency: string },
  pushPorts: Record<string, number>,
): Promise<number> {
  const subscription = {
    endpoint: device.endpoint,
    keys: { p256dh: device.p256dh, auth: device.auth },
  };
  const vapidDetails = { subject: 'https://firebase.google.com', ...vapid };
  const details = webPush.generateRequestDetails(subscription, payload, {
    vapidDetails,
    TTL,
    urgency,
    contentEncoding: 'aes128gcm',
  });
  const { hostname, pathname, port } = new URL(details.endpoint);
  const local = {
    host: '127.0.0.1',
    port: pushPorts[hostname] ?? port,
    servername: hostname,
    ca: localCertificate().cert,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { ...local, path: pathname, method: 'POST', headers: details.headers },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(details.body);
  });
}

function createServiceAccount() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [email, tokenUri] = [
    `sender@${PROJECT_ID}.iam.gserviceaccount.com`,
    'https://oauth2.googleapis.com/token',
  ];
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const json = JSON.stringify({
    type: 'service_account',
    project_id: PROJECT_ID,
    client_email: email,
    private_key: pem,
    token_uri: tokenUri,
  });
  return {
    email,
    tokenUri,
    json,
    publicKey: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
  };
}

const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'authorization, content-type, x-goog-api-key, x-goog-firebase-installations-auth, x-firebase-client',
};
const random = () => randomBytes(24).toString('base64url');
const json = (status: number, body: object): TlsReply => ({
  status,
  headers: { 'Content-Type': 'application/json', ...CORS_HEADERS },
  body: JSON.stringify(body),
});
const rejection = (code: number, status: string, details: object[] = []) =>
  json(code, { error: { code, status, message: status, details } });
