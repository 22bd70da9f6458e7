/**
 * How many calls are under way at once. Each webhook has one place of its own, so that receivers
 * that hang never delay another's; some more are shared.
 */
const MAX_FOR_ONE = 4;
/** With the own places of all webhooks 32 at once. */
const SHARED = 12;

export interface CallPlaces {
  /** How many more calls of it may begin. A webhook that fails has its own place alone. */
  free(webhookId: number, isFailing: boolean): number;
  take(webhookId: number): void;
  leave(webhookId: number): void;
}

export function createPlaces(): CallPlaces {
  const taken = new Map<number, number>();
  return {
    free(webhookId, isFailing) {
      const own = taken.get(webhookId) ?? 0;
      let shared = 0;
      for (const count of taken.values()) shared += count - 1;
      const more = isFailing ? 0 : Math.min(MAX_FOR_ONE - Math.max(own, 1), SHARED - shared);
      return (own === 0 ? 1 : 0) + Math.max(0, more);
    },
    take: (webhookId) => void taken.set(webhookId, (taken.get(webhookId) ?? 0) + 1),
    leave(webhookId) {
      const rest = (taken.get(webhookId) ?? 1) - 1;
      if (rest > 0) taken.set(webhookId, rest);
      else taken.delete(webhookId);
    },
  };
}
