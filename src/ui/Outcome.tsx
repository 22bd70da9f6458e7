import { useEffect, useRef, type ReactNode } from 'react';

/**
 * How something ended. It takes the focus, which was in the form whose place it takes: so it is
 * read out, and Tab goes on from there.
 */
export function Outcome({ tone, children }: { tone: 'ok' | 'bad'; children: ReactNode }) {
  const note = useRef<HTMLParagraphElement>(null);
  useEffect(() => note.current?.focus(), []);
  return (
    <p
      ref={note}
      className="note"
      data-tone={tone}
      role={tone === 'ok' ? 'status' : 'alert'}
      tabIndex={-1}
    >
      {children}
    </p>
  );
}

/** The same at a door that leads no further, with the way on. */
export const LastOutcome = ({ tone, children }: { tone: 'ok' | 'bad'; children: ReactNode }) => (
  <>
    <Outcome tone={tone}>{children}</Outcome>
    <ToLogin />
  </>
);

export const ToLogin = () => (
  <a className="alone" href="/login">
    Go to login
  </a>
);
