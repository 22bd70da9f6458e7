/** Selected rows of a list, on any page. */
import { signal } from '@preact/signals-react';
import { useMemo } from 'react';

/** Each checkbox reads the signal itself, so a change renders only that row. */
export type Selection = ReturnType<typeof createSelection>;

function createSelection() {
  const ids = signal<ReadonlySet<number>>(new Set());
  return {
    ids,
    set(changedIds: readonly number[], on: boolean): void {
      const nextIds = new Set(ids.peek());
      for (const id of changedIds)
        if (on) nextIds.add(id);
        else nextIds.delete(id);
      ids.value = nextIds;
    },
    clear(): void {
      ids.value = new Set();
    },
  };
}

/** Starts over when `list` changes: other filters, another search. */
export const useSelection = (list: string): Selection => useMemo(createSelection, [list]);
