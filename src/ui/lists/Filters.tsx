import { useState, type ReactNode } from 'react';

interface Props {
  /** The values of the filters; empty where one is not used. */
  values: readonly string[];
  children: ReactNode;
}

/** A list's filters. Styles fold them on phones, where they would fill the first view. */
export function Filters({ values, children }: Props) {
  const usedCount = values.filter(Boolean).length;
  const [open, setOpen] = useState(usedCount > 0);
  return (
    <>
      <button
        type="button"
        className="plain fold"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {usedCount > 0 ? `Filters (${usedCount})` : 'Filters'}
      </button>
      <div className="filters">{children}</div>
    </>
  );
}
