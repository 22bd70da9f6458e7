/** A whole server in one call: database, delivery and HTTP, in the order in which they need each other. */
import { makeFirstAdmin } from './accounts/first-admin';
import type { FirstAdmin } from './accounts/first-admin';
import { createApp } from './app';
import { Background } from './background';
import type { Config } from './config';
import { migrate } from './db/migrate';
import { openDatabase } from './db/open';
import { startDelivery } from './delivery/start';
import { listen } from './http/listen';
import { createStatic } from './http/static';
import type { Log } from './log';
import { createMailer } from './mail';
import { createMetrics } from './metrics';
import type { Services } from './services';
import { loadVapidKeys } from './settings';
import { startSweeping } from './sweep';

export interface Running {
  /** Where a browser on this machine finds it. */
  address: string;
  firstAdmin: FirstAdmin | undefined;
  services: Services;
  /** Answers what is under way, records what was delivered, and closes the database: within ten seconds. */
  stop(): Promise<void>;
}

/** How long a stop waits for work behind answers, in all within the ten seconds that it may take. */
const SETTLE_MILLISECONDS = 8000;
const LAST_MILLISECONDS = 500;

/** @param staticFolder the built app (`dist/app`) */
export async function startServer(given: Config, log: Log, staticFolder: string): Promise<Running> {
  const config = { ...given };
  await migrate(config);
  const { db, engine, close } = openDatabase(config);
  try {
    const vapid = await loadVapidKeys(db);
    const metrics = createMetrics({ db, now: Date.now, ofProcess: true });
    const delivery = startDelivery({
      db,
      engine,
      vapid,
      subject: config.vapidSubject,
      serviceAccount: config.serviceAccount,
      allowedHosts: config.pushAllowedHosts,
      log,
      onAttempt: metrics.countPush,
    });
    const background = new Background(log);
    const services: Services = {
      db,
      config,
      log,
      background,
      mail: createMailer(config, log),
      now: Date.now,
      wake: () => delivery.wake(),
      isRefused: () => delivery.isRefused(),
      metrics,
      vapidPublicKey: vapid.publicKey,
    };
    // A mail server that does not answer must not keep the process: what it was told is lost either way.
    const stopWork = (): Promise<unknown> => Promise.all([background.settle(SETTLE_MILLISECONDS), delivery.stop()]);
    try {
      const firstAdmin = await makeFirstAdmin(services);
      const http = await listen(createApp(services, createStatic(staticFolder)), config.port);
      const address = `http://localhost:${http.port}`;
      if (config.publicUrlGuessed) config.publicUrl = address;
      const stopSweeping = startSweeping(db, log);
      const stop = async (): Promise<void> => {
        await Promise.all([http.stop(), stopWork(), stopSweeping()]);
        // What the last requests left behind.
        await background.settle(LAST_MILLISECONDS);
        await close();
      };
      return { address, firstAdmin, services, stop };
    } catch (error) {
      await stopWork();
      throw error;
    }
  } catch (error) {
    await close();
    throw error;
  }
}
