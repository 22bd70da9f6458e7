import type { ReactNode } from 'react';

/** How something ended, as a note that screen readers read out by themselves. */
export const Outcome = ({ tone, children }: { tone: 'ok' | 'bad'; children: ReactNode }) => (
  <p className="note" data-tone={tone} role={tone === 'ok' ? 'status' : 'alert'}>
    {children}
  </p>
);

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
