import { useEffect, useState, type ComponentProps } from 'react';
import { goToCompany } from '../../state/company';
import { AuthPage } from '../../ui/AuthPage';

/**
 * The way in by the company's own sign-in. No form of its own: those may only lead to ourselves (the
 * page's Content Security Policy), and this ends at the provider.
 */
export function CompanySignIn({ company }: { company: string }) {
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []); // in the page before any script
  return (
    <>
      <button type="button" className="plain" disabled={!ready} onClick={goToCompany}>
        Sign in with {company}
      </button>
      <p className="muted">or with your Fieldbell password</p>
    </>
  );
}

/** The login form's page with that way above. */
export const CompanyPage = ({ children, ...page }: ComponentProps<typeof AuthPage>) => (
  <AuthPage {...page}>
    <CompanySignIn company={COMPANY} />
    {children}
  </AuthPage>
);
