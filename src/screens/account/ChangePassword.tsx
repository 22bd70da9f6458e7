import { useState } from 'react';
import { errorMessage } from '../../api/error';
import {
  changePassword,
  hasPassword,
  PASSWORD_CHANGE_FAILED,
} from '../../state/account/own-account';
import { sessionClaims } from '../../state/session';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { notify } from '../../ui/notices';
import { useKeepFocus } from '../../ui/page';
import { usePasswords } from '../../ui/forms/passwords';
import { PasswordWithRules } from '../auth/NewPassword';
import { usePasswordRules } from '../auth/password-rules';

const ERROR_ID = 'password-error';

/** A new form after each change: no password stays on the page. */
export function ChangePassword() {
  const [times, setTimes] = useState(0);
  useKeepFocus(times);
  return (
    <section aria-labelledby="password">
      <h2 id="password">Change password</h2>
      {hasPassword.value ? (
        <PasswordForm key={times} onDone={() => setTimes(times + 1)} />
      ) : (
        <p>You sign in with your company account, so you have no password here.</p>
      )}
    </section>
  );
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const rules = usePasswordRules();
  const { field, checkbox } = usePasswords('Show passwords');
  const { onSubmit, error, invalid, busy } = useForm(
    async ({ current = '', password = '' }) => {
      await changePassword(current, password);
      notify('Password changed.');
      onDone();
    },
    (thrown) => errorMessage(thrown, PASSWORD_CHANGE_FAILED),
  );
  return (
    <form className="panel pad" method="post" onSubmit={onSubmit}>
      <FormError id={ERROR_ID}>{error}</FormError>
      {/* Tells password managers the account. */}
      <input
        type="text"
        name="username"
        autoComplete="username"
        readOnly
        hidden
        value={sessionClaims.value?.username}
      />
      <label>
        Current password
        <input
          {...field}
          name="current"
          autoComplete="current-password"
          {...invalid('current', ERROR_ID)}
        />
      </label>
      <PasswordWithRules field={field} invalidMarks={invalid('password', ERROR_ID)} rules={rules} />
      {checkbox}
      <Submit busy={busy} busyText="Changing…">
        Change password
      </Submit>
      <small className="muted">
        You’ll need to sign in again on your other devices. They’ll keep receiving notifications.
      </small>
    </form>
  );
}
