import { useEffect, type ReactNode } from 'react';

/** A page for those who are not signed in: one narrow column under the logo. */
export function Door({ title, heading, children }: { title: string; heading: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Fieldbell`;
  }, [title]);
  return (
    <div className="door">
      <main>
        <img src="/logo.svg" width="64" height="64" alt="" />
        <h1>{heading}</h1>
        {children}
      </main>
    </div>
  );
}
