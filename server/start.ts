/**
 * A whole server in one call: database, delivery and HTTP, in the order in which they need each
 * other.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createFirstAdmin } from './accounts/operator';
import type { FirstAdmin } from './accounts/operator';
import { createApp, createWaitingApp } from './app';
import { noteSettings } from './audit/settings';
import type { App } from './http/env';
import { clock } from './lib/clock';
import type { Config } from './config/config';
import { faultCode } from './db/errors';
import { migrate } from './db/migrate';
import { openDatabase } from './db/open';
import type { OpenDatabase } from './db/open';
import { whenReady } from './db/engines/readiness';
import { removeLeftovers } from './db/backup/leftovers';
import { startDelivery } from './delivery/delivery';
import { createWebhookCaller } from './delivery/webhook/caller';
import type { VapidKeys } from './delivery/web-push/vapid';
import { limits, listen } from './http/connections/listen';
import { createStatic } from './http/static/files';
import type { Log } from './lib/log';
import { createMailer } from './lib/mail';
import { createWriting } from './messages/sending/writing';
import { messageMail } from './messages/message-mail';
import { createMailing } from './accounts/mail/mailing';
import { createMetrics } from './lib/metrics';
import type { Services } from './services';
import { checkSecret } from './accounts/secret-fingerprint';
import { loadVapidKeys } from './delivery/web-push/vapid';
import { createCalling } from './webhooks/calling';
import { startCleanup } from './operations/cleanup';
import { readPushServices } from './operations/push-services';

export interface Running {
  /** Where a browser on this machine finds it. */
  address: string;
  services: Services;
  /**
   * Goes on for `DRAIN_SECONDS`, while health says that it stops. Then answers requests under way,
   * records deliveries, and closes the database: within ten seconds.
   */
  stop(): Promise<void>;
}

/**
 * How long a stop waits for mails that are being sent, and for webhooks that are being called, in all within the ten seconds that it may
 * take.
 */
const SETTLE_MILLISECONDS = 8000;
const LAST_MILLISECONDS = 500;

/**
 * So long what is asked of a server that begins waits at most until its database is there: one that
 * takes over for another refuses nothing.
 */
const PATIENCE_MILLISECONDS = 2000;

/** A database that is waited for is spoken of at once, and then once a minute. */
const REMIND_MILLISECONDS = 60_000;

/**
 * Listens first: a port that is taken ends the start before anything is made. Then waits for the
 * database, if need be, and answers 503 meanwhile, though not in its first moment as long as the
 * database seems to be there.
 * @param staticFolder the built app (`dist/app`)
 * @param showFirstAdmin shows the password of the first administrator, who is made once this has
 * resolved
 * @param patience milliseconds of that moment, given only by tests
 */
export async function startServer(
  given: Config,
  log: Log,
  staticFolder: string,
  showFirstAdmin: (admin: FirstAdmin, address: string) => Promise<void>,
  patience = PATIENCE_MILLISECONDS,
): Promise<Running> {
  const config = { ...given };
  const serveStatic = createStatic(staticFolder);
  let app = createWaitingApp({ config }, serveStatic);
  const beginning = createBeginning(patience);
  const http = await listen(
    {
      fetch: (...request: Parameters<App['fetch']>) =>
        beginning.isOver()
          ? app.fetch(...request)
          : beginning.over.then(() => app.fetch(...request)),
    },
    { port: config.port, ...(config.host && { host: config.host }) },
    limits,
    config.trustedProxies,
  );
  const address = `http://${hostOf(config.host)}:${http.port}`;
  if (config.publicUrlGuessed) config.publicUrl = address;
  log.info('listening', { port: http.port, host: config.host });
  try {
    const remind = createReminder(log);
    const onWait = (error: unknown): void => {
      beginning.end();
      remind(error);
    };
    const opened = await openInstallation(config, onWait, (admin) =>
      showFirstAdmin(admin, address),
    );
    let stopping = false;
    const { services, stopWork } = startServices(config, log, opened, () => stopping);
    app = createApp(services, serveStatic);
    beginning.end();
    const stopSweeping = startCleanup(services);
    const stop = async (): Promise<void> => {
      stopping = true;
      http.leave();
      await wait(config.drainSeconds * 1000);
      await Promise.all([stopWork(http.stop()), stopSweeping()]);
      await opened.close();
    };
    return { address, services, stop };
  } catch (error) {
    beginning.end();
    await http.stop();
    throw error;
  }
}

/** Until it is known whether the database is there, for so many milliseconds at most. */
function createBeginning(most: number): { over: Promise<void>; isOver(): boolean; end(): void } {
  let isOver = false;
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(() => end(), most);
    end = () => {
      clearTimeout(timer);
      isOver = true;
      resolve();
    };
  });
  return { over, isOver: () => isOver, end };
}

/** As a browser on this machine would name it. */
function hostOf(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** A database with all that every installation has: tables, keys, an administrator. */
type Installation = OpenDatabase & { vapid: VapidKeys };

async function openInstallation(
  config: Config,
  onWait: (error: unknown) => void,
  show: (admin: FirstAdmin) => Promise<void>,
): Promise<Installation> {
  removeLeftovers(config.dataDir);
  await whenReady(() => migrate(config), { onWait });
  const opened = openDatabase(config);
  try {
    const makeFirstAdmin = createFirstAdmin({ db: opened.db, config, now: clock.now }, show);
    const prepare = async (): Promise<VapidKeys> => {
      await checkSecret(config.jwtSecret, opened.db);
      const vapid = await loadVapidKeys(opened.db);
      await makeFirstAdmin();
      await noteSettings(config, opened.db, clock.now());
      return vapid;
    };
    return { ...opened, vapid: await whenReady(prepare, { onWait }) };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function createReminder(log: Log): (error: unknown) => void {
  let spokeAt = -Infinity;
  return (error) => {
    if (performance.now() - spokeAt < REMIND_MILLISECONDS) return;
    spokeAt = performance.now();
    log.warn('waiting for the database', { code: faultCode(error) });
  };
}

/** What works on the database from now on, besides requests. */
function startServices(
  config: Config,
  log: Log,
  { db, engine, vapid }: Installation,
  isStopping: () => boolean,
): { services: Services; stopWork(lastRequests: Promise<void>): Promise<void> } {
  const metrics = createMetrics({
    db,
    now: clock.now,
    readPushServices: () => readPushServices({ db, config, now: clock.now }),
    ofProcess: true,
  });
  const delivery = startDelivery({
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
  const mailing = createMailing(() => services, messageMail);
  const calling = createCalling(() => services);
  const webhookCaller = createWebhookCaller({
    allowedHosts: config.webhookAllowedHosts,
    now: clock.now,
  });
  const writing = createWriting(() => services);
  const services: Services = {
    db,
    config,
    log,
    mail: createMailer(config, log),
    now: clock.now,
    wake: () => delivery.wake(),
    wakeWriting: () => writing.wake(),
    wakeMail: () => mailing.wake(),
    wakeWebhooks: () => calling.wake(),
    webhookCaller,
    isStopping,
    metrics,
    vapidPublicKey: vapid.publicKey,
  };
  for (const runner of [writing, calling, mailing]) runner.start();
  return {
    services,
    async stopWork(lastRequests) {
      await Promise.all([
        lastRequests,
        delivery.stop(),
        writing.stop(),
        calling.stop(SETTLE_MILLISECONDS).then(() => webhookCaller.close()),
        mailing.settle(SETTLE_MILLISECONDS),
      ]);
      // What the last requests left behind.
      await mailing.settle(LAST_MILLISECONDS);
      await mailing.stop(0);
    },
  };
}
