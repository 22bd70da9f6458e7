import { computed, signal } from '@preact/signals-react';

const stale = signal<readonly number[]>([]);

/**
 * While the server cannot be reached: when the oldest of what an administrator's screen shows was
 * read, in milliseconds since 1970. Else null.
 */
export const listShownAsOf = computed(() =>
  stale.value.length > 0 ? Math.min(...stale.value) : null,
);

/** Notes that something read at that time is shown without a network, until the returned function is called. */
export function showStale(asOf: number): () => void {
  stale.value = [...stale.peek(), asOf];
  return () => {
    const index = stale.peek().indexOf(asOf);
    stale.value = stale.peek().filter((_, other) => other !== index);
  };
}
