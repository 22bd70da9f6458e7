import { errorMessage } from '../../api/error';
import { PASSWORD_RESET_FAILED, resetPassword } from '../../state/account/signed-out';
import { AuthPage } from '../../ui/AuthPage';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { OutcomeWithLoginLink } from '../../ui/Outcome';
import { requireSamePasswords, NewPassword } from './NewPassword';
import { usePasswordRules } from './password-rules';

export function ResetPassword({ token }: { token: string }) {
  const rules = usePasswordRules();
  const { onSubmit, error, invalid, busy, done } = useForm(
    async ({ password = '', confirm }) => {
      requireSamePasswords(password, confirm);
      await resetPassword(token, password);
    },
    (thrown) => errorMessage(thrown, PASSWORD_RESET_FAILED),
  );
  return (
    <AuthPage title="New password" heading="Set a new password">
      {done ? (
        <OutcomeWithLoginLink tone="ok">Password reset! You can now log in.</OutcomeWithLoginLink>
      ) : (
        <form method="post" onSubmit={onSubmit}>
          <FormError>{error}</FormError>
          <NewPassword invalid={invalid} rules={rules} />
          <Submit busy={busy} busyText="Saving…">
            Reset Password
          </Submit>
          <a className="alone" href="/request-password-reset">
            Request a new link
          </a>
        </form>
      )}
    </AuthPage>
  );
}
