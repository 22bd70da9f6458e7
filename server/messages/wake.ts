import type { Services } from '../services';

/** Tells all who have work with a message that was sent, rings again, or is taken back. */
export function wakeAll({ wake, wakeWriting, wakeWebhooks }: Services): void {
  wake();
  wakeWriting();
  wakeWebhooks();
}
