import { useEffect, useState, type FormEvent } from 'react';
import { sentence } from '../api';
import { kept, signIn } from '../state/session';
import { Door } from '../ui/Door';

/** Sign-in. The build also renders it into index.html, so that it is there, and can be typed into, before any script. */
export function Login() {
  const [ready, setReady] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  useEffect(() => setReady(true), []);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError('');
    try {
      await signIn(String(form.get('username')), String(form.get('password')));
    } catch (thrown) {
      setError(sentence(thrown, 'Login failed. Please try again.'));
      setBusy(false);
    }
  }

  const invalid = error ? { 'aria-invalid': true, 'aria-describedby': 'error' } : undefined;
  return (
    <Door title="Log in" heading="Log in to Fieldbell">
      {/* Post, and a button that waits for the script: a form sent without us must not put the password into the address. */}
      <form method="post" onSubmit={submit}>
        <p className="note" data-tone="bad" role="alert" id="error">
          {error}
        </p>
        {!kept.value && (
          <p className="note" data-tone="warn" role="status">
            This browser keeps nothing. You will have to log in again after closing this page.
          </p>
        )}
        <label>
          Username
          <input type="text" name="username" autoComplete="username" autoCapitalize="none" spellCheck={false} required {...invalid} />
        </label>
        <label>
          Password
          <input type="password" name="password" autoComplete="current-password" required {...invalid} />
        </label>
        <button type="submit" aria-busy={busy || undefined} disabled={busy || !ready}>
          {busy ? 'Logging in…' : 'Log in'}
        </button>
        <a className="alone" href="/request-password-reset">
          Forgot password?
        </a>
      </form>
    </Door>
  );
}
