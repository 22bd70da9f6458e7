import { useState } from 'react';
import { readStored, writeStored } from '../../platform/storage/storage';
import { Select } from '../../ui/forms/Select';
import type { ListAddress } from './list-address';

const KEPT = 'list_rows';
/** Rows per page: 10 (S9.3), unless chosen otherwise on this device. */
const ROWS = ['10', '25', '50', '100'] as const;
type Rows = (typeof ROWS)[number];

/** Rows per page on this device, and how to change it. */
export function usePageSize(defaultRows: Rows = '10') {
  const [rows, setRows] = useState<Rows>(
    () => ROWS.find((one) => one === readStored(KEPT)) ?? defaultRows,
  );
  function choose(chosen: Rows) {
    writeStored(KEPT, chosen);
    setRows(chosen);
  }
  return { rows, choose, limit: Number(rows) };
}

export const PageSizeSelect = ({
  rows,
  onChoose,
}: {
  rows: Rows;
  onChoose: (chosen: Rows) => void;
}) => (
  <Select
    label="Rows"
    name="rows"
    options={ROWS.map((option) => [option, option] as const)}
    value={rows}
    onChoose={onChoose}
  />
);

/** Changing the number keeps the first row on the page. */
export const PageSizeField = ({
  setting: { rows, choose, limit },
  address: { parts, change },
}: {
  setting: ReturnType<typeof usePageSize>;
  address: ListAddress<'page' | 'query'>;
}) => (
  <PageSizeSelect
    rows={rows}
    onChoose={(chosen) => {
      const rowsBefore = (Number(parts.page || 1) - 1) * limit;
      change({ page: String(Math.floor(rowsBefore / Number(chosen)) + 1) });
      choose(chosen);
    }}
  />
);
