/** Starts a whole server: database, delivery and HTTP, in the order of their dependencies. */
import { setTimeout as wait } from 'node:timers/promises';
import { createFirstAdmin } from './accounts/operator';
import type { FirstAdmin } from './accounts/operator';
import { createApp, createWaitingApp } from './app';
import { recordSettingChanges } from './audit/settings';
import type { App } from './http/env';
import { clock } from './lib/clock';
import type { Config, Settings } from './config/config';
import { loadOrCreateSecret } from './config/kept-secret';
import { describeFaultCode } from './db/errors';
import { migrate } from './db/migrate';
import { openDatabase } from './db/open';
import type { OpenDatabase } from './db/open';
import { retryUntilReachable } from './db/engines/readiness';
import { removeLeftovers } from './db/backup/leftovers';
import { startDelivery } from './delivery/delivery';
import { createWebhookCaller } from './delivery/webhook/caller';
import type { VapidKeys } from './delivery/web-push/vapid';
import { connectionLimits, listen } from './http/connections/listen';
import { createStatic } from './http/static/files';
import type { Log } from './lib/log';
import { createMailer } from './lib/mail';
import { alarmWatchSteps } from './check-ins/alarm-watch';
import { allClearNoticeSteps } from './check-ins/all-clear-notice';
import { checkInSteps } from './check-ins/check-in-job';
import { suspensionNoticeSteps } from './check-ins/suspended';
import { heartbeatSteps } from './heartbeats/heartbeat-steps';
import { createMessageJobs } from './messages/sending/message-jobs';
import { messageMail } from './messages/message-mail';
import { createMailSender } from './accounts/mail/mail-sender';
import { createMetrics } from './lib/metrics';
import type { Services } from './services';
import { checkOrStoreSecret } from './accounts/secret-fingerprint';
import { loadVapidKeys } from './delivery/web-push/vapid';
import { createWebhookJobs } from './webhooks/webhook-jobs';
import { startDeletingOldData } from './operations/delete-old-data';
import { readPushServices } from './operations/push-services';

/** The build sets this. */
declare const VERSION: string;

export interface RunningServer {
  address: string;
  services: Services;
  /** Serves for `DRAIN_SECONDS`, then finishes requests and deliveries within ten seconds. */
  stop(): Promise<void>;
}

/** Waits for running mails and webhook calls. Their sum stays below the ten seconds of a stop. */
const SETTLE_TIMEOUT_MS = 8000;
const LAST_REQUESTS_TIMEOUT_MS = 500;

/** Requests wait this long for the database of a new server: a takeover must reject nothing. */
const DATABASE_WAIT_MS = 2000;

/** How often the log repeats that the database is not available. */
const REMIND_EVERY_MS = 60_000;

/**
 * Listens first: a port in use fails the start before anything is created.
 * @param showFirstAdmin the account is created only once this resolves
 * @param maxWait milliseconds until calls get 503; only tests set it
 */
export async function startServer(
  settings: Settings,
  log: Log,
  staticFolder: string,
  showFirstAdmin: (admin: FirstAdmin, address: string) => Promise<void>,
  maxWait = DATABASE_WAIT_MS,
): Promise<RunningServer> {
  const serveStatic = createStatic(staticFolder);
  let app = createWaitingApp({ config: settings }, serveStatic);
  const startupGate = createStartupGate(maxWait);
  const http = await listen(
    {
      fetch: (...request: Parameters<App['fetch']>) =>
        startupGate.isOpen()
          ? app.fetch(...request)
          : startupGate.opened.then(() => app.fetch(...request)),
    },
    { port: settings.port, ...(settings.host && { host: settings.host }) },
    connectionLimits,
    settings.trustedProxies,
  );
  const address = `http://${printableHost(settings.host)}:${http.port}`;
  log.info('listening', { port: http.port, host: settings.host });
  try {
    const config: Config = {
      ...settings,
      ...(settings.publicUrlGuessed && { publicUrl: address }),
      jwtSecret: settings.jwtSecret ?? loadOrCreateSecret(settings.dataDir),
    };
    const logReminder = createReminder(log);
    const onWait = (error: unknown): void => {
      startupGate.open();
      logReminder(error);
    };
    const installation = await openInstallation(config, onWait, (admin) =>
      showFirstAdmin(admin, address),
    );
    let isStopping = false;
    const { services, stopWork } = startServices(config, log, installation, () => isStopping);
    app = createApp(services, serveStatic);
    startupGate.open();
    const stopDeletingOldData = startDeletingOldData(services);
    const stop = async (): Promise<void> => {
      isStopping = true;
      http.leave();
      await wait(config.drainSeconds * 1000);
      await Promise.all([stopWork(http.stop()), stopDeletingOldData()]);
      await installation.close();
    };
    return { address, services, stop };
  } catch (error) {
    startupGate.open();
    await http.stop();
    throw error;
  }
}

/** Holds requests until `open()`, or until `maxMilliseconds` have passed. */
function createStartupGate(maxMilliseconds: number): {
  opened: Promise<void>;
  isOpen(): boolean;
  open(): void;
} {
  let isOpen = false;
  let open = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    const timer = setTimeout(() => open(), maxMilliseconds);
    open = () => {
      clearTimeout(timer);
      isOpen = true;
      resolve();
    };
  });
  return { opened: ready, isOpen: () => isOpen, open };
}

function printableHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

type Installation = OpenDatabase & { vapid: VapidKeys };

async function openInstallation(
  config: Config,
  onWait: (error: unknown) => void,
  showFirstAdmin: (admin: FirstAdmin) => Promise<void>,
): Promise<Installation> {
  removeLeftovers(config.dataDir);
  await retryUntilReachable(() => migrate(config), { onWait });
  const database = openDatabase(config);
  try {
    const createFirstAdminIfMissing = createFirstAdmin(
      { db: database.db, config, now: clock.now },
      showFirstAdmin,
    );
    const prepareDatabase = async (): Promise<VapidKeys> => {
      await checkOrStoreSecret(config.jwtSecret, database.db);
      const vapid = await loadVapidKeys(database.db);
      await createFirstAdminIfMissing();
      await recordSettingChanges(config, database.db, clock.now());
      return vapid;
    };
    return { ...database, vapid: await retryUntilReachable(prepareDatabase, { onWait }) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function createReminder(log: Log): (error: unknown) => void {
  let remindedAt = -Infinity;
  return (error) => {
    if (performance.now() - remindedAt < REMIND_EVERY_MS) return;
    remindedAt = performance.now();
    log.warn('waiting for the database', { code: describeFaultCode(error) });
  };
}

function startServices(
  config: Config,
  log: Log,
  { db, engine, vapid, countConnections }: Installation,
  isStopping: () => boolean,
): { services: Services; stopWork(lastRequests: Promise<void>): Promise<void> } {
  const metrics = createMetrics({
    db,
    now: clock.now,
    readPushServices: () => readPushServices({ db, config, now: clock.now }),
    ofProcess: true,
    version: VERSION,
    countConnections,
  });
  const delivery = startDelivery({
    defaultLanguage: config.defaultLanguage,
    db,
    engine,
    vapid,
    subject: config.vapidSubject,
    appOrigin: new URL(config.publicUrl).origin,
    serviceAccount: config.serviceAccount,
    allowedHosts: config.pushAllowedHosts,
    log,
    onAttempt: metrics.countPush,
  });
  const mailSender = createMailSender(() => services, messageMail);
  const webhookJobs = createWebhookJobs(() => services);
  const webhookCaller = createWebhookCaller({
    allowedHosts: config.webhookAllowedHosts,
    now: clock.now,
  });
  const messageJobs = createMessageJobs(
    () => services,
    [checkInSteps, alarmWatchSteps, allClearNoticeSteps, suspensionNoticeSteps, heartbeatSteps],
  );
  const services: Services = {
    db,
    config,
    log,
    mail: createMailer(config, log),
    now: clock.now,
    wakePushWorker: () => delivery.wake(),
    wakeJobs: () => messageJobs.wake(),
    wakeMail: () => mailSender.wake(),
    wakeWebhooks: () => webhookJobs.wake(),
    webhookCaller,
    isStopping,
    metrics,
    vapidPublicKey: vapid.publicKey,
  };
  for (const runner of [messageJobs, webhookJobs, mailSender]) runner.start();
  return {
    services,
    async stopWork(lastRequests) {
      await Promise.all([
        lastRequests,
        delivery.stop(),
        messageJobs.stop(),
        webhookJobs.stop(SETTLE_TIMEOUT_MS).then(() => webhookCaller.close()),
        mailSender.settle(SETTLE_TIMEOUT_MS),
      ]);
      // The last requests may have queued mails.
      await mailSender.settle(LAST_REQUESTS_TIMEOUT_MS);
      await mailSender.stop(0);
    },
  };
}
