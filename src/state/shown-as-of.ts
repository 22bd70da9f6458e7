import { computed, signal } from '@preact/signals-react';

const stale = signal<readonly number[]>([]);

/** When the oldest data on an administrator's screen was read (ms since 1970); null if online. */
export const listShownAsOf = computed(() =>
  stale.value.length > 0 ? Math.min(...stale.value) : null,
);

/** Reports data of that time on screen while offline, until the returned function is called. */
export function reportStaleData(asOf: number): () => void {
  stale.value = [...stale.peek(), asOf];
  return () => {
    const index = stale.peek().indexOf(asOf);
    stale.value = stale.peek().filter((_, other) => other !== index);
  };
}
