import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { plural } from '../../platform/plural';

interface Props {
  page: number;
  last: number;
  /** A range such as `1–10 of 47 topics`. */
  children: string;
  /** Controls in front of the buttons. */
  controls?: ReactNode;
  onGo: (page: number) => void;
}

/** Previous, Next, and a field for the page number. */
export function Pager({ page, last, controls, children, onGo }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current) field.current.value = String(page);
  }, [page, last]);
  /** Goes to the typed page. An invalid number becomes a valid page, visibly. */
  function commit() {
    const typedPage = field.current?.valueAsNumber;
    const targetPage =
      typedPage === undefined || Number.isNaN(typedPage)
        ? page
        : Math.min(Math.max(Math.trunc(typedPage), 1), last);
    if (field.current) field.current.value = String(targetPage);
    if (targetPage !== page) onGo(targetPage);
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

/** Names the range of shown rows: `1–10 of 47 topics`. */
export function rangeText(
  {
    page,
    limit,
    total,
    rows,
  }: { page: number; limit: number; total: number; rows: readonly unknown[] },
  noun: string,
): string {
  const first = (page - 1) * limit + 1;
  return `${first.toLocaleString()}–${(first + rows.length - 1).toLocaleString()} of ${countedNoun(total, noun)}`;
}

/** `1 topic`, `1,200 topics`, `31 people`, `2 entries`. */
export const countedNoun = (count: number, noun: string): string =>
  countText(
    count,
    LANGUAGE !== 'en' || count === 1
      ? noun
      : noun === 'person'
        ? 'people'
        : `${noun.replace(/ry$/, 'rie')}s`,
  );

/** A number with words that are the same for any number: `3 muted`. */
export const countText = (count: number, words: string): string =>
  LANGUAGE === 'en'
    ? `${count.toLocaleString()} ${words}`
    : // The build of another language replaces the words by their forms, with `#` for the number.
      plural(count, words as unknown as { one: string; other: string }).replace(
        '#',
        count.toLocaleString(),
      );
