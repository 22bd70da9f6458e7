import { call, sentence } from '../api';
import { Door } from '../ui/Door';
import { FormError, Submit, useForm } from '../ui/form';
import { LastOutcome } from '../ui/Outcome';
import { agreed, NewPassword } from './NewPassword';

const FALLBACK = 'Failed to reset password.';

/** Setting a new password with the token of the link from the mail. */
export function ResetPassword({ token }: { token: string }) {
  const { submit, error, invalid, busy, done } = useForm(
    async ({ password = '', confirm }) => {
      agreed(password, confirm);
      await call('POST /api/auth/reset-password', { body: { token, password }, fallback: FALLBACK });
    },
    (thrown) => sentence(thrown, FALLBACK),
  );
  return (
    <Door title="New password" heading="Set a new password">
      {done ? (
        <LastOutcome tone="ok">Password reset! You can now log in.</LastOutcome>
      ) : (
        <form method="post" onSubmit={submit}>
          <FormError>{error}</FormError>
          <NewPassword invalid={invalid} />
          <Submit busy={busy} sending="Saving…">
            Reset Password
          </Submit>
          <a className="alone" href="/request-password-reset">
            Ask for a new link
          </a>
        </form>
      )}
    </Door>
  );
}
