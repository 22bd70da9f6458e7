import type { FormEvent } from 'react';
import { signInError } from '../../state/session';

/**
 * Loads the company sign-in on demand: everyone waits for the login form. The promise never
 * rejects.
 */
export async function withCompanySignIn(
  action: (module: typeof import('../../state/account/company-sign-in')) => Promise<void>,
): Promise<void> {
  try {
    if (COMPANY) await action(await import('../../state/account/company-sign-in'));
  } catch {
    signInError.value = 'Part of the app couldn’t be loaded. Try again.';
  }
}

/** The form is never submitted: our Content Security Policy allows forms only to this app. */
export function CompanySignIn({ ready }: { ready: boolean }) {
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void withCompanySignIn((module) => module.goToCompanySignIn());
  }
  return (
    <form onSubmit={onSubmit}>
      <button type="submit" className="plain" disabled={!ready}>
        Sign in with {COMPANY}
      </button>
      <p className="muted">or with your Fieldbell password</p>
    </form>
  );
}
