/** Delivery as the rest of the server sees it: started with the process, woken when a message was stored, stopped. */
import type { Database, Engine } from '../db/open';
import type { Log } from '../log';
import type { ServiceAccount } from '../service-account';
import { createAddressGuard, type Resolve } from './address-guard';
import { createAttempt } from './attempt';
import { createEncryptor, type Encryptor } from './encryptor';
import { createFcm } from './fcm';
import { createGoogleToken } from './google-token';
import { createHttpsClient, DEFAULT_LIMITS, type HttpsClient, type HttpsLimits } from './https-client';
import type { Outcome, Service, Transport } from './outcome';
import { createVapid, type VapidKeys } from './vapid';
import { createWebPush } from './web-push';
import { startWorker } from './worker';

export interface DeliverySettings {
  db: Database;
  engine: Engine;
  vapid: VapidKeys;
  /** Where push services can reach the operator: `mailto:…` or `https://…` (RFC 8292, 2.1). */
  subject: string;
  /** Without one, pushes to FCM tokens wait as misconfigured. */
  serviceAccount?: ServiceAccount | undefined;
  /** `host` or `host:port`: push services on private addresses or other ports that may be contacted. */
  allowedHosts: readonly string[];
  log: Log;
  /** Hears of every attempt: by which service, and the `is` of its outcome. */
  onAttempt?: (service: Service, outcome: Outcome['is']) => void;
  /** What follows is for tests, and has defaults. */
  now?: () => number;
  random?: () => number;
  resolve?: Resolve;
  encryptor?: Encryptor;
  limits?: Partial<HttpsLimits>;
  concurrency?: number;
  lease?: number;
  pollEvery?: number;
  drainWithin?: number;
}

export interface Delivery {
  /** Looks into the outbox now. To be called after a message was stored. */
  wake(): void;
  /** Whether a push service refuses our credentials, so that all its pushes wait. */
  isRefused(): boolean;
  /** Ends within ten seconds. What was claimed and not sent is free for the next process. */
  stop(): Promise<void>;
}

/** Answers are awaited for at most 10 s, and are recorded soon after. */
const LEASE = 30_000;

/** Starts to empty the outbox in the background. Does not wait for the database: trouble with it is logged and passes. */
export function startDelivery(settings: DeliverySettings): Delivery {
  const { now = Date.now, random = Math.random, resolve, log, onAttempt = () => undefined, encryptor = createEncryptor(log) } = settings;
  const client = createHttpsClient(createAddressGuard(settings.allowedHosts, resolve), { ...DEFAULT_LIMITS, ...settings.limits });
  const { attempt, isRefused } = createAttempt(createTransports(settings, { client, encryptor }, now, random), { log, now, random, onAttempt });
  const worker = startWorker({
    db: settings.db,
    engine: settings.engine,
    log,
    now,
    attempt,
    concurrency: settings.concurrency ?? 256,
    lease: settings.lease ?? LEASE,
    pollEvery: settings.pollEvery ?? 2000,
    drainWithin: settings.drainWithin ?? 8000,
  });
  return {
    wake: () => worker.wake(),
    isRefused,
    async stop() {
      await worker.stop();
      client.close();
      await encryptor.close();
    },
  };
}

function createTransports(
  { vapid, subject, serviceAccount }: DeliverySettings,
  { client, encryptor }: { client: HttpsClient; encryptor: Encryptor },
  now: () => number,
  random: () => number,
): Record<Service, Transport> {
  const noAccount: Transport = async () => ({ is: 'misconfigured', reason: 'no-service-account', scope: 'service' });
  return {
    'web-push': createWebPush({ client, encryptor, authorize: createVapid(vapid, subject, now), now }),
    fcm: serviceAccount
      ? createFcm({ client, projectId: serviceAccount.project_id, accessToken: createGoogleToken(serviceAccount, client, now), now, random })
      : noAccount,
  };
}
