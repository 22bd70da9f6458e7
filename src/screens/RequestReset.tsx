import { Door } from '../ui/Door';
import { ToLogin } from '../ui/Outcome';
import { EmailForm } from './EmailForm';

/** Asking for a link that sets a new password. */
export function RequestReset() {
  return (
    <Door title="Reset password" heading="Reset your password">
      <EmailForm
        endpoint="POST /api/auth/request-password-reset"
        fallback="Failed to send password reset email."
        action="Send Reset Link"
        sent="If an account with that email exists, a password reset link has been sent."
      />
      <ToLogin />
    </Door>
  );
}
