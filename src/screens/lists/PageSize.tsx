import { useState } from 'react';
import { readStored, writeStored } from '../../platform/storage/storage';
import { Select } from '../../ui/forms/Select';
import type { ListAddress } from './list-address';

const PAGE_SIZE_STORAGE_KEY = 'list_rows';
/** Rows per page: 10 (S9.3), unless chosen otherwise on this device. */
const PAGE_SIZES = ['10', '25', '50', '100'] as const;
type PageSize = (typeof PAGE_SIZES)[number];

/** Rows per page on this device, and how to change it. */
export function usePageSize(defaultRows: PageSize = '10') {
  const [pageSize, setRows] = useState<PageSize>(
    () => PAGE_SIZES.find((size) => size === readStored(PAGE_SIZE_STORAGE_KEY)) ?? defaultRows,
  );
  function chooseAndStore(chosen: PageSize) {
    writeStored(PAGE_SIZE_STORAGE_KEY, chosen);
    setRows(chosen);
  }
  return { pageSize, choose: chooseAndStore, limit: Number(pageSize) };
}

export const PageSizeSelect = ({
  pageSize,
  onChoose,
}: {
  pageSize: PageSize;
  onChoose: (chosen: PageSize) => void;
}) => (
  <Select
    label="Rows"
    name="rows"
    options={PAGE_SIZES.map((option) => [option, option] as const)}
    value={pageSize}
    onChoose={onChoose}
  />
);

/** Changing the number keeps the first row on the page. */
export const PageSizeField = ({
  setting: { pageSize, choose: chooseAndStore, limit },
  address: { parts, change },
}: {
  setting: ReturnType<typeof usePageSize>;
  address: ListAddress<'page' | 'query'>;
}) => (
  <PageSizeSelect
    pageSize={pageSize}
    onChoose={(chosen) => {
      const rowsBefore = (Number(parts.page || 1) - 1) * limit;
      change({ page: String(Math.floor(rowsBefore / Number(chosen)) + 1) });
      chooseAndStore(chosen);
    }}
  />
);
