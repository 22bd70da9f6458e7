import { useEffect, useRef, type ReactNode } from 'react';

interface Props {
  title: string;
  heading: string;
  /** Replaces another page without a new document, so focus must move for screen readers. */
  replacing?: boolean;
  children: ReactNode;
}

/** A page for people who are not signed in: one narrow column under the logo. */
export function AuthPage({ title, heading, replacing, children }: Props) {
  const top = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Fieldbell`;
    if (replacing) top.current?.focus();
  }, [title]);
  return (
    <div className="door">
      <main>
        <img src="/logo.svg" width="64" height="64" alt="" loading="lazy" />
        <h1 ref={top} tabIndex={-1}>
          {heading}
        </h1>
        {children}
      </main>
    </div>
  );
}
