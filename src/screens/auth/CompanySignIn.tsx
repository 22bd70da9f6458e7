import { useEffect, useState, type ComponentProps, type FormEvent } from 'react';
import { sessionEndReason } from '../../state/session';
import { AuthPage } from '../../ui/AuthPage';

/**
 * The way in by the company's own sign-in. The form itself is never sent: forms may only lead to
 * ourselves (the page's Content Security Policy), and this ends at the provider.
 */
export function CompanySignIn({ company }: { company: string }) {
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []); // in the page before any script
  function submit(event: FormEvent) {
    event.preventDefault();
    // Few press it, and everybody waits for the login form. Builds without a company have none of it.
    if (COMPANY)
      void import('../../state/account/arrival')
        .then((module) => module.goToCompany())
        .catch(() => {
          sessionEndReason.value = 'The app could not be loaded. Please try again.';
        });
  }
  return (
    <form onSubmit={submit}>
      <button type="submit" className="plain" disabled={!ready}>
        Sign in with {company}
      </button>
      <p className="muted">or with your Fieldbell password</p>
    </form>
  );
}

/** The login form's page with that way above. */
export const CompanyPage = ({ children, ...page }: ComponentProps<typeof AuthPage>) => (
  <AuthPage {...page}>
    <CompanySignIn company={COMPANY} />
    {children}
  </AuthPage>
);
