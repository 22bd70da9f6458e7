import { computed } from '@preact/signals-react';
import { useMemo } from 'react';
import type { Selection } from './selection';

export function RowCheckbox({
  id,
  name,
  selection: { ids, set },
}: {
  id: number;
  name: string;
  selection: Selection;
}) {
  const isSelected = useMemo(() => computed(() => ids.value.has(id)), [id, ids]);
  return (
    <label className="tick">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={isSelected.value}
        onChange={({ currentTarget }) => set([id], currentTarget.checked)}
      />
    </label>
  );
}

/** The checkbox selects the rows of this page only. */
export function PageCheckbox({
  page,
  selection: { ids, set },
}: {
  page: readonly number[];
  selection: Selection;
}) {
  return (
    <th scope="col">
      <label className="tick" data-label="Select all on this page">
        <input
          type="checkbox"
          aria-label="Select all on this page"
          checked={page.length > 0 && page.every((id) => ids.value.has(id))}
          onChange={({ currentTarget }) => set(page, currentTarget.checked)}
        />
      </label>
    </th>
  );
}
