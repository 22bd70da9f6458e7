import { useEffect, useState } from 'react';
import { sentence } from '../api';
import { ended, leftOnPurpose, signIn } from '../state/session';
import { Door } from '../ui/Door';
import { FormError, Submit, useForm } from '../ui/form';

const FALLBACK = 'Login failed. Please try again.';

interface Props {
  /** Told as soon as somebody types: what comes after signing in can be fetched meanwhile. */
  onBegin?: () => void;
}

/** Sign-in. The build also renders it into index.html, so that it is there, and can be typed into, before any script. */
export function Login({ onBegin }: Props) {
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const { submit, error, invalid, busy } = useForm(
    ({ username = '', password = '' }) => {
      const signingIn = signIn(username, password); // first on the way, as it takes longest
      onBegin?.(); // nothing was typed if a password manager did it before the script was there
      return signingIn;
    },
    (thrown) => sentence(thrown, FALLBACK),
  );
  return (
    <Door title="Log in" heading="Log in to Fieldbell" replacing={ended.value || leftOnPurpose.value}>
      {/* Post, and a button that waits for the script: a form sent without us must not put the password into the address. */}
      <form method="post" onInput={onBegin} onSubmit={submit}>
        <FormError>{error ?? (ended.value ? 'Your session has ended. Log in to go on.' : undefined)}</FormError>
        <label>
          Username
          <input type="text" name="username" autoComplete="username" autoCapitalize="none" spellCheck="false" required {...invalid()} />
        </label>
        <label>
          Password
          <input type="password" name="password" autoComplete="current-password" required {...invalid()} />
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
