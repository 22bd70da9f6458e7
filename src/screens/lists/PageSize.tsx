import { useState } from 'react';
import { readStored, writeStored } from '../../platform/storage/storage';
import { Select } from '../../ui/forms/Select';
import type { ListAddress } from './list-address';

const PAGE_SIZE_STORAGE_KEY = 'list_rows';
/** Rows per page: 10 (S9.3), unless chosen otherwise on this device. */
const PAGE_SIZES = ['10', '25', '50', '100'] as const;
type Rows = (typeof PAGE_SIZES)[number];

/** Rows per page on this device, and how to change it. */
export function usePageSize(defaultRows: Rows = '10') {
  const [rows, setRows] = useState<Rows>(
    () => PAGE_SIZES.find((one) => one === readStored(PAGE_SIZE_STORAGE_KEY)) ?? defaultRows,
  );
  function choose(chosen: Rows) {
    writeStored(PAGE_SIZE_STORAGE_KEY, chosen);
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
    options={PAGE_SIZES.map((option) => [option, option] as const)}
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
