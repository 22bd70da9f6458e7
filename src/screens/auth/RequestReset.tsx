import { RESET_REQUEST_FAILED, requestPasswordReset } from '../../state/account/signed-out';
import { AuthPage } from '../../ui/AuthPage';
import { LoginLink } from '../../ui/Outcome';
import { EmailForm } from './EmailForm';

export function RequestReset() {
  return (
    <AuthPage title="Reset password" heading="Reset your password">
      <EmailForm
        request={requestPasswordReset}
        fallback={RESET_REQUEST_FAILED}
        action="Send Reset Link"
        notice="If an account with that email exists, a password reset link has been sent."
      />
      <LoginLink />
    </AuthPage>
  );
}
