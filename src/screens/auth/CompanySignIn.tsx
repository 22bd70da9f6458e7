import { useEffect, useState, type ComponentProps, type FormEvent } from 'react';
import { sessionEndReason } from '../../state/session';
import { AuthPage } from '../../ui/AuthPage';

/** Never submitted: our Content Security Policy allows forms only to ourselves. */
export function CompanySignIn({ company }: { company: string }) {
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []); // in the page before any script
  function submit(event: FormEvent) {
    event.preventDefault();
    // Loaded on demand: few use it, and everybody waits for the login form.
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

/** The login form's page with the company's sign-in above it. */
export const CompanyPage = ({ children, ...page }: ComponentProps<typeof AuthPage>) => (
  <AuthPage {...page}>
    <CompanySignIn company={COMPANY} />
    {children}
  </AuthPage>
);
