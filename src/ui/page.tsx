/**
 * What every screen of the signed-in part has: a heading that names it, and honest states while it
 * loads or fails.
 */
import { useEffect, useRef, useState, type ReactNode } from 'react';

/**
 * The heading of a screen. A new screen sets the page's title and takes the focus, so that it is
 * read out.
 */
export function Heading({ children, title = children }: { children: string; title?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Fieldbell`;
    heading.current?.focus();
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/**
 * When one of these changes and what had the focus is gone with it (a deleted row, Retry), the
 * focus goes to the heading, not to nowhere.
 */
export function useFocusKept(...shown: unknown[]): void {
  useEffect(() => {
    if (document.activeElement === document.body)
      document.querySelector('h1')?.focus({ preventScroll: true });
  }, shown);
}

/** True once `milliseconds` have passed: a quick answer needs no sign of waiting. */
export function useDelay(milliseconds: number): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), milliseconds);
    return () => clearTimeout(timer);
  }, []);
  return over;
}

/** Three quiet rows where a list will be. */
export function Skeleton() {
  const shown = useDelay(300);
  return (
    <>
      <p className="sr" role="status">
        {shown ? 'Loading…' : ''}
      </p>
      <ul
        className="panel rows"
        aria-hidden="true"
        style={{ visibility: shown ? 'visible' : 'hidden' }}
      >
        {[0, 1, 2].map((row) => (
          <li key={row}>
            <div>
              <span className="skeleton" />
              <span className="skeleton" />
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A failure to load, with the way to try again unless it is final. */
export function Failure({
  children,
  retry,
}: {
  children: ReactNode;
  retry: (() => void) | undefined;
}) {
  return (
    <div className="note bar" data-tone="bad" role="alert">
      <span>{children}</span>
      {retry && (
        <button type="button" className="plain" onClick={retry}>
          Retry
        </button>
      )}
    </div>
  );
}

export const Empty = ({ children }: { children: ReactNode }) => (
  <div className="panel pad">
    <p className="muted">{children}</p>
  </div>
);
