/** What every signed-in screen has: a heading, and states for loading and failing. */
import { useEffect, useRef, useState, type ReactNode } from 'react';

/** A screen's heading. A new screen sets the page title and takes the focus, so it is read out. */
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

/** If one of these changes and the focused element is gone (Retry), focuses the heading. */
export function useKeepFocus(...content: unknown[]): void {
  useEffect(() => {
    if (document.activeElement === document.body)
      document.querySelector('h1')?.focus({ preventScroll: true });
  }, content);
}

/** True after `milliseconds`: a quick response needs no sign of loading. */
export function useDelay(milliseconds: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), milliseconds);
    return () => clearTimeout(timer);
  }, []);
  return isOver;
}

/** Placeholder rows of a list, which may begin with a circle, or of a table. */
export function Skeleton({ disc, table }: { disc?: boolean; table?: boolean }) {
  const shown = useDelay(300);
  return (
    <>
      <p className="sr" role="status">
        {shown ? 'Loading…' : ''}
      </p>
      <ul
        className={table ? 'panel rows cells' : 'panel rows'}
        aria-hidden="true"
        style={{ visibility: shown ? 'visible' : 'hidden' }}
      >
        {[0, 1, 2].map((row) => (
          <li key={row}>
            <div>
              {disc && <span className="disc skeleton" />}
              {(table ? [0, 1, 2, 3] : [0, 1]).map((part) => (
                <span key={part} className="skeleton" />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

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
