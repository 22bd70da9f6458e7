import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';

interface Props {
  page: number;
  last: number;
  /** What the page holds, such as `1–10 of 47 topics`. */
  children: string;
  /** Stands before the buttons. */
  controls?: ReactNode;
  /** Asks for a page from 1 to `last`. */
  onGo: (page: number) => void;
}

/** One step back, one step on, or any of a thousand pages by its number. */
export function Pager({ page, last, controls, children, onGo }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current) field.current.value = String(page);
  }, [page, last]);
  /**
   * Takes the number once it is typed to its end. A text that is no number of a page becomes one,
   * at once and visibly.
   */
  function commit() {
    const typed = field.current?.valueAsNumber;
    const wanted =
      typed === undefined || Number.isNaN(typed)
        ? page
        : Math.min(Math.max(Math.trunc(typed), 1), last);
    if (field.current) field.current.value = String(wanted);
    if (wanted !== page) onGo(wanted);
  }
  return (
    <nav className="bar" aria-label="Pagination">
      <small role="status">{children}</small>
      {controls}
      <button type="button" className="plain" disabled={page <= 1} onClick={() => onGo(page - 1)}>
        Previous
      </button>
      <label>
        Page{' '}
        <input
          ref={field}
          type="number"
          inputMode="numeric"
          min={1}
          max={last}
          defaultValue={page}
          onBlur={commit}
          onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && commit()}
        />{' '}
        of {last.toLocaleString()}
      </label>
      <button
        type="button"
        className="plain"
        disabled={page >= last}
        onClick={() => onGo(page + 1)}
      >
        Next
      </button>
    </nav>
  );
}

/** `1–10 of 47 topics`: which rows of how many a page shows. */
export function range(
  {
    page,
    limit,
    total,
    rows,
  }: { page: number; limit: number; total: number; rows: readonly unknown[] },
  noun: string,
): string {
  const first = (page - 1) * limit + 1;
  return `${first.toLocaleString()}–${(first + rows.length - 1).toLocaleString()} of ${amount(total, noun)}`;
}

/** `1 topic`, `1,200 topics`, `31 people`, `2 entries`. */
export const amount = (count: number, noun: string): string =>
  `${count.toLocaleString()} ${count === 1 ? noun : noun === 'person' ? 'people' : `${noun.replace(/ry$/, 'rie')}s`}`;
