import { call, sentence } from '../api';
import { Door } from '../ui/Door';
import { FormError, Submit, useForm } from '../ui/form';

const FALLBACK = 'Failed to send password reset email.';

/** Asking for a link that sets a new password. The answer is the same whether or not there is such an account. */
export function RequestReset() {
  const { submit, error, invalid, busy, done } = useForm(
    async ({ email = '' }) => {
      await call('POST /api/auth/request-password-reset', { body: { email }, fallback: FALLBACK });
    },
    (thrown) => sentence(thrown, FALLBACK),
  );
  return (
    <Door title="Reset password" heading="Reset your password">
      {done ? (
        <p className="note" data-tone="ok" role="status">
          If an account with that email exists, a password reset link has been sent.
        </p>
      ) : (
        <form method="post" onSubmit={submit}>
          <FormError>{error}</FormError>
          <label>
            Email
            <input type="email" name="email" autoComplete="email" required {...invalid('email')} />
          </label>
          <Submit busy={busy} sending="Sending…">
            Send Reset Link
          </Submit>
        </form>
      )}
      <a className="alone" href="/login">
        Go to login
      </a>
    </Door>
  );
}
