import type { Background } from './background';
import type { Config } from './config';
import type { Database } from './db/open';
import type { Log } from './log';
import type { Mailer } from './mail';
import type { Metrics } from './metrics';

/** What the feature modules work with; a test replaces any of them. */
export interface Services {
  db: Database;
  config: Config;
  log: Log;
  mail: Mailer;
  background: Background;
  /** Milliseconds since 1970. */
  now(): number;
  /** Tells delivery that the outbox has work. Never fails; forgetting to call it only delays. */
  wake(): void;
  /** Whether a push service refuses our credentials at the moment. */
  isRefused(): boolean;
  metrics: Metrics;
  /** The server's own Web Push key, base64url. */
  vapidPublicKey: string;
}
