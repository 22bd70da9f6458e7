/** Delivery for the rest of the server: start, wake, stop. */

import type { Language } from '../../src/shared/languages';
import type { ServiceAccount } from '../config/service-account';
import type { Database, Engine } from '../db/open';
import { clock } from '../lib/clock';
import type { Log } from '../lib/log';
import { createFcm } from './fcm/fcm';
import { type GoogleToken, createGoogleToken } from './fcm/google-token';
import { createAddressGuard } from './https/address-guard';
import type { HttpsLimits } from './https/response';
import { type HttpsClient, createHttpsClient, DEFAULT_LIMITS } from './https/client';
import type { Resolve } from './https/resolver';
import { createDispatch } from './queue/dispatch';
import { createStillWantedCheck } from './queue/still-wanted';
import { startWorker } from './queue/worker';
import type { PushOutcome, TransportKind, Transport, ServiceProbe } from './transport';
import { type Encryptor, createEncryptor } from './web-push/encryptor';
import { type VapidKeys, createVapid } from './web-push/vapid';
import { createWebPush } from './web-push/web-push';

export interface DeliverySettings {
  db: Database;
  engine: Engine;
  vapid: VapidKeys;
  /** The language of people whose own is unknown; English if omitted. */
  defaultLanguage?: Language;
  /** The operator's contact for push services: `mailto:…` or `https://…` (RFC 8292, 2.1). */
  subject: string;
  /** The app's origin, such as `https://bell.example`. */
  appOrigin: string;
  /** Without a service account, pushes to FCM tokens wait. */
  serviceAccount?: ServiceAccount | undefined;
  /** Push services on private addresses or other ports: `host` or `host:port`. */
  allowedHosts: readonly string[];
  log: Log;
  onAttempt?: (service: TransportKind, outcome: PushOutcome['kind']) => void;
  /** Milliseconds since 1970; whether that is certain; the monotonic clock. */
  now?: () => number;
  isClockSure?: () => boolean;
  elapsed?: () => number;
  /** Only tests set this member and the members below. */
  random?: () => number;
  resolve?: Resolve;
  encryptor?: Encryptor;
  limits?: Partial<HttpsLimits>;
  maySpeakHttp2?: (host: string) => boolean;
  concurrency?: number;
  leaseMs?: number;
  pollEveryMs?: number;
  drainWithinMs?: number;
}

export interface Delivery {
  /** Checks the outbox now. Call it after a message was stored. */
  wake(): void;
  /** Ends within ten seconds and releases claims that were not sent. */
  stop(): Promise<void>;
}

/** Replies take at most 10 s, and are recorded soon after. */
const PUSH_LEASE_MS = 30_000;

/** Starts to send the outbox in the background. Database errors are logged and retried. */
export function startDelivery(settings: DeliverySettings): Delivery {
  const {
    db,
    now = clock.now,
    elapsed = clock.elapsed,
    isClockSure = clock.isSure,
    random = Math.random,
    resolve,
    log,
  } = settings;
  const { onAttempt = () => undefined, encryptor = createEncryptor(log) } = settings;
  const client = createHttpsClient(
    createAddressGuard(settings.allowedHosts, resolve),
    { ...DEFAULT_LIMITS, ...settings.limits },
    settings.maySpeakHttp2,
  );
  const clocks = { now, elapsed, isClockSure };
  const checkStillWanted = createStillWantedCheck(db, elapsed);
  const { serviceAccount } = settings;
  const accessToken = serviceAccount && createGoogleToken(serviceAccount, client, now);
  const attempt = createDispatch(
    createTransports(settings, { client, encryptor, accessToken }, now, random),
    {
      log,
      defaultLanguage: settings.defaultLanguage ?? 'en',
      ...clocks,
      checkStillWanted,
      random,
      onAttempt,
    },
  );
  const worker = startWorker({
    db,
    engine: settings.engine,
    log,
    ...clocks,
    random,
    attempt,
    probe: createProbe(client, accessToken),
    allowedHosts: settings.allowedHosts,
    concurrency: settings.concurrency ?? 256,
    leaseMs: settings.leaseMs ?? PUSH_LEASE_MS,
    pollEveryMs: settings.pollEveryMs ?? 2000,
    drainWithinMs: settings.drainWithinMs ?? 8000,
  });
  return {
    wake: () => worker.wake(),
    async stop() {
      await worker.stop();
      client.close();
      await encryptor.close();
    },
  };
}

function createTransports(
  { vapid, subject, serviceAccount, appOrigin }: DeliverySettings,
  {
    client,
    encryptor,
    accessToken,
  }: { client: HttpsClient; encryptor: Encryptor; accessToken: GoogleToken | undefined },
  now: () => number,
  random: () => number,
): Record<TransportKind, Transport> {
  // Anyone may register a fake FCM token, so no alarm for operators without FCM.
  const noAccount: Transport = async () => ({
    kind: 'misconfigured',
    reason: 'no-service-account',
    scope: 'device',
    isOurs: true,
  });
  return {
    'web-push': createWebPush({
      client,
      encryptor,
      authorize: createVapid(vapid, subject, now),
      now,
      appOrigin,
    }),
    fcm:
      serviceAccount && accessToken
        ? createFcm({ client, projectId: serviceAccount.project_id, accessToken, now, random })
        : noAccount,
  };
}

const FCM = 'https://fcm.googleapis.com';

/** @param accessToken for FCM, which accepts no push without it */
function createProbe(client: HttpsClient, accessToken?: GoogleToken): ServiceProbe {
  return async (origin) => {
    if (origin === 'fcm') {
      const access = await accessToken?.get();
      if (access?.kind === 'retry' && access.isUnreachable) return access.reason;
    }
    const response = await client.post(
      new URL(origin === 'fcm' ? FCM : origin),
      {},
      Buffer.alloc(0),
    );
    if (response.kind === 'responded') return undefined;
    return response.kind === 'withdrawn' ? 'withdrawn' : response.reason;
  };
}
