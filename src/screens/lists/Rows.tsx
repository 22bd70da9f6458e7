import { useState } from 'react';
import { readStored, writeStored } from '../../platform/storage/storage';
import { Select } from '../../ui/forms/Select';
import type { Address } from './address';

const KEPT = 'list_rows';
/** Rows on a page: 10 (S9.3), unless this device has another wish. */
const ROWS = ['10', '25', '50', '100'] as const;
type Rows = (typeof ROWS)[number];

/** How many rows a page has on this device, `usual` without a wish, and the way to change it. */
export function useRows(usual: Rows = '10') {
  const [rows, setRows] = useState<Rows>(
    () => ROWS.find((one) => one === readStored(KEPT)) ?? usual,
  );
  function choose(chosen: Rows) {
    writeStored(KEPT, chosen);
    setRows(chosen);
  }
  return { rows, choose, limit: Number(rows) };
}

/** The number alone: for who keeps the page by its first row. */
export const RowsSelect = ({
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

/** Another number of rows: the page is then the one that has the row that was the first. */
export const RowsField = ({
  wish: { rows, choose, limit },
  address: { parts, change },
}: {
  wish: ReturnType<typeof useRows>;
  address: Address<'page' | 'query'>;
}) => (
  <RowsSelect
    rows={rows}
    onChoose={(chosen) => {
      const before = (Number(parts.page || 1) - 1) * limit;
      change({ page: String(Math.floor(before / Number(chosen)) + 1) });
      choose(chosen);
    }}
  />
);
