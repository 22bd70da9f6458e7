import type { Config } from './config/config';
import type { Database } from './db/open';
import type { WebhookCaller } from './delivery/webhook/caller';
import type { Log } from './lib/log';
import type { Mailer } from './lib/mail';
import type { Metrics } from './lib/metrics';

/** What the feature modules work with; a test replaces any of them. */
export interface Services {
  db: Database;
  config: Config;
  log: Log;
  mail: Mailer;
  /** Milliseconds since 1970. */
  now(): number;
  /** Tells delivery that the outbox has work. Never fails; forgetting to call it only delays. */
  wake(): void;
  /** Tells that a message is to be written. Never fails; forgetting to call it only delays. */
  wakeWriting(): void;
  /** Tells that a mail was asked for. Never fails; forgetting to call it only delays. */
  wakeMail(): void;
  /** Tells that webhooks are to be called. Never fails; forgetting to call it only delays. */
  wakeWebhooks(): void;
  webhookCaller: WebhookCaller;
  /** Whether it was told to stop, and only goes on until balancers have noticed. */
  isStopping(): boolean;
  metrics: Metrics;
  /** The server's own Web Push key, base64url. */
  vapidPublicKey: string;
}
