import { useEffect, useRef, type ReactNode } from 'react';

/** Takes the focus from the form it replaces, so it is read out and Tab continues here. */
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

/** An outcome on a signed-out page, with a link to the login form. */
export const OutcomeWithLoginLink = ({
  tone,
  children,
}: {
  tone: 'ok' | 'bad';
  children: ReactNode;
}) => (
  <>
    <Outcome tone={tone}>{children}</Outcome>
    <LoginLink />
  </>
);

export const LoginLink = () => (
  <a className="alone" href="/login">
    Go to sign-in
  </a>
);
