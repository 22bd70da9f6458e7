/** Which rows of a list are selected, on whatever page they are. */
import { signal } from '@preact/signals-react';
import { useMemo } from 'react';

/** Read by each tick for itself: one more or less draws that row anew, and no other. */
export type Selection = ReturnType<typeof makeSelection>;

function makeSelection() {
  const ids = signal<ReadonlySet<number>>(new Set());
  return {
    ids,
    set(changed: readonly number[], on: boolean): void {
      const next = new Set(ids.peek());
      for (const id of changed)
        if (on) next.add(id);
        else next.delete(id);
      ids.value = next;
    },
    clear(): void {
      ids.value = new Set();
    },
  };
}

/** A selection that begins anew when the list is another one: other filters, another search. */
export const useSelection = (list: string): Selection => useMemo(makeSelection, [list]);
