import type { Services } from '../services';

/** Wakes everything that works on a message that was sent, notified again or withdrawn. */
export function wakeWorkers({ wakePushWorker, wakeJobs, wakeWebhooks }: Services): void {
  wakePushWorker();
  wakeJobs();
  wakeWebhooks();
}
