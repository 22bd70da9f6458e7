import { errorMessage, type ApiError } from '../../api/error';
import { pendingChallenge } from '../../state/account/challenge';
import {
  beginTwoFactor,
  confirmTwoFactor,
  CODE_CHECK_FAILED,
  sendSignInCode,
  enterWaitingSession,
  waitingSession,
} from '../../state/account/two-factor';
import { signInError } from '../../state/session';
import { AuthPage } from '../../ui/AuthPage';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { CodeField } from '../two-factor/CodeField';
import { SetUp } from '../two-factor/SetUp';

/** The second step of a sign-in, instead of the login form. */
export const TwoFactorStep = () =>
  pendingChallenge.value?.step === 'second_factor_set_up' ? <FirstSetUp /> : <AskCode />;

/** Returns to the login form with a message. */
function returnToLogin(reason = ''): void {
  signInError.value = reason;
  pendingChallenge.value = null;
}

/** The person may type a wrong code again. Other errors mean that the challenge has expired. */
function returnIfExpired(thrown: unknown): never {
  const { status, path, message } = thrown as ApiError;
  if (status === 400 && path === undefined) returnToLogin(message);
  throw thrown;
}

function AskCode() {
  const { onSubmit, error, invalid, busy } = useForm(
    ({ code = '' }) => sendSignInCode(code).catch(returnIfExpired),
    (thrown) => errorMessage(thrown, CODE_CHECK_FAILED),
  );
  return (
    // The field takes the focus, not the heading.
    <AuthPage title="Two-factor authentication" heading="Enter your code">
      <form method="post" onSubmit={onSubmit}>
        <FormError>{error}</FormError>
        <CodeField {...invalid('code')}>
          Enter the 6-digit code from your authenticator app. If you don’t have your phone, enter a
          recovery code.
        </CodeField>
        <Submit busy={busy} busyText="Signing in…">
          Sign in
        </Submit>
        <BackToLogin />
      </form>
    </AuthPage>
  );
}

/** Administrators who need an authenticator app and have none see this page. */
const FirstSetUp = () => (
  <AuthPage title="Two-factor authentication" heading="Set up two-factor authentication" replacing>
    <p>
      Administrators sign in with a password and a code from an authenticator app. Set up the app
      once to continue.
    </p>
    <SetUp
      begin={() => beginTwoFactor().catch(returnIfExpired)}
      confirm={(enrollment, code) => confirmTwoFactor(enrollment, code)}
      onDone={enterWaitingSession}
      done="Continue to Fieldbell"
    />
    {!waitingSession.value && <BackToLogin />}
  </AuthPage>
);

const BackToLogin = () => (
  <button type="button" className="quiet" onClick={() => returnToLogin()}>
    Back to sign-in
  </button>
);
