import type { Services } from '../services';

/** Wakes everything that works on a message that was sent, repeated or withdrawn. */
export function wakeAll({ wake, wakeWriting, wakeWebhooks }: Services): void {
  wake();
  wakeWriting();
  wakeWebhooks();
}
