import { useEffect, useState } from 'react';
import { errorMessage, type ApiError } from '../../api/error';
import { requestSecondStep } from '../../state/account/challenge';
import {
  signInError,
  signedOutOnPurpose,
  registeredUsername,
  SIGN_IN_FAILED,
  signIn,
} from '../../state/session';
import { AuthPage } from '../../ui/AuthPage';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { CompanySignIn } from './CompanySignIn';
import { PasskeySignIn } from './PasskeySignIn';

/** Explains why a sign-in failed: offline, server unreachable, or a wrong password. */
function explainError(thrown: unknown): string {
  if ((thrown as ApiError).code !== 'unreachable') return errorMessage(thrown, SIGN_IN_FAILED);
  return navigator.onLine
    ? SIGN_IN_FAILED + ' The server isn’t reachable.'
    : 'You’re offline. Connect and try again.';
}

interface Props {
  /** Called as soon as someone types, to preload what comes after signing in. */
  onBegin?: () => void;
}

/** The build also renders it into index.html, so people can type before any script runs. */
export function Login({ onBegin }: Props) {
  const [ready, setReady] = useState(false);
  const [shown, setShown] = useState(false);
  useEffect(() => setReady(true), []);
  const { onSubmit, error, invalid, busy } = useForm(({ username = '', password = '' }) => {
    const signingIn = signIn(username, password); // requested first: it takes longest
    onBegin?.(); // nothing was typed if a password manager did it before the script was there
    return TWO_FACTOR ? signingIn.catch(requestSecondStep) : signingIn;
  }, explainError);
  return (
    <AuthPage
      title="Sign in"
      heading="Sign in to Fieldbell"
      replacing={signInError.value !== '' || signedOutOnPurpose.value}
    >
      {COMPANY && <CompanySignIn ready={ready} />}
      {/* POST, and a button disabled until the script runs: otherwise a native submit would put the
          password into the URL. */}
      <form method="post" onInput={onBegin} onSubmit={onSubmit}>
        <FormError>{error ?? signInError.value}</FormError>
        <label>
          Username
          <input
            type="text"
            name="username"
            autoComplete={PASSKEYS ? 'username webauthn' : 'username'}
            autoCapitalize="none"
            spellCheck="false"
            required
            defaultValue={registeredUsername.value || undefined}
            {...invalid(401)}
          />
        </label>
        <label>
          Password
          <input
            type={shown ? 'text' : 'password'}
            name="password"
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck="false"
            required
            {...invalid(401)}
          />
        </label>
        <label className="show">
          <input
            type="checkbox"
            disabled={!ready}
            checked={shown}
            onChange={() => setShown(!shown)}
          />
          Show password
        </label>
        <Submit busy={busy} disabled={!ready} busyText="Signing in…">
          Sign in
        </Submit>
        {PASSKEYS && <PasskeySignIn ready={ready} />}
        <a className="alone" href="/request-password-reset">
          Forgot password?
        </a>
      </form>
      {/* Styles hide this hint in browsers: only an installed app can't be opened by a link. */}
      <a className="alone app" href="/new-phone">
        Use a sign-in link
      </a>
    </AuthPage>
  );
}
