import { useEffect, useState } from 'react';
import { sentence } from '../api';
import { kept, signIn } from '../state/session';
import { Door } from '../ui/Door';
import { FormError, invalid, Submit, useForm } from '../ui/form';

const FALLBACK = 'Login failed. Please try again.';

/** Sign-in. The build also renders it into index.html, so that it is there, and can be typed into, before any script. */
export function Login() {
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const { submit, error, busy } = useForm(
    ({ username = '', password = '' }) => signIn(username, password),
    (thrown) => sentence(thrown, FALLBACK),
  );
  return (
    <Door title="Log in" heading="Log in to Fieldbell">
      {/* Post, and a button that waits for the script: a form sent without us must not put the password into the address. */}
      <form method="post" onSubmit={submit}>
        <FormError>{error}</FormError>
        {!kept.value && (
          <p className="note" data-tone="warn" role="status">
            This browser keeps nothing. You will have to log in again after closing this page.
          </p>
        )}
        <label>
          Username
          <input type="text" name="username" autoComplete="username" autoCapitalize="none" spellCheck="false" required {...invalid(error)} />
        </label>
        <label>
          Password
          <input type="password" name="password" autoComplete="current-password" required {...invalid(error)} />
        </label>
        <Submit busy={busy} disabled={!ready} sending="Logging in…">
          Log in
        </Submit>
        <a className="alone" href="/request-password-reset">
          Forgot password?
        </a>
      </form>
    </Door>
  );
}
