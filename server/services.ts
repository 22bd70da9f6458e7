import type { Config } from './config/config';
import type { Database } from './db/open';
import type { WebhookCaller } from './delivery/webhook/caller';
import type { Log } from './lib/log';
import type { Mailer } from './lib/mail';
import type { Metrics } from './lib/metrics';

/** What the features work with. A test replaces any of them. */
export interface Services {
  db: Database;
  config: Config;
  log: Log;
  mail: Mailer;
  /** Milliseconds since 1970. */
  now(): number;
  /** The wake functions never fail; a missed call only delays the work. */
  wakePushWorker(): void;
  /** Wakes the background jobs, such as writing a message's recipients. */
  wakeJobs(): void;
  wakeMail(): void;
  wakeWebhooks(): void;
  webhookCaller: WebhookCaller;
  /** The server was told to stop and serves until balancers notice. */
  isStopping(): boolean;
  metrics: Metrics;
  /** The server's own Web Push key, base64url. */
  vapidPublicKey: string;
}
