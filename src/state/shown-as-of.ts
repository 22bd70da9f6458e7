import { computed, signal } from '@preact/signals-react';

const staleTimes = signal<readonly number[]>([]);

/** When the oldest data on an administrator's screen was read (ms since 1970); null if online. */
export const listShownAsOf = computed(() =>
  staleTimes.value.length > 0 ? Math.min(...staleTimes.value) : null,
);

/** Reports data of that time on screen while offline, until the returned function is called. */
export function reportStaleData(asOf: number): () => void {
  staleTimes.value = [...staleTimes.peek(), asOf];
  return () => {
    const index = staleTimes.peek().indexOf(asOf);
    staleTimes.value = staleTimes.peek().filter((_, other) => other !== index);
  };
}
