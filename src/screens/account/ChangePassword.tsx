import { useState } from 'react';
import { errorMessage } from '../../api/error';
import { changePassword, PASSWORD_FAILED } from '../../state/own-account';
import { claims } from '../../state/session';
import { FormError, Submit, useForm } from '../../ui/form';
import { notify } from '../../ui/notices';
import { useFocusKept } from '../../ui/page';
import { explainRules, usePasswordRules } from '../auth/password-rules';

const ERROR = 'password-error';

/** Each time it was changed the form begins anew: no password stays on the page. */
export function ChangePassword() {
  const [times, setTimes] = useState(0);
  useFocusKept(times);
  return (
    <section aria-labelledby="password">
      <h2 id="password">Change password</h2>
      <PasswordForm key={times} onDone={() => setTimes(times + 1)} />
    </section>
  );
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const rules = usePasswordRules();
  const [password, setPassword] = useState('');
  const [shown, setShown] = useState(false);
  const { submit, error, invalid, busy } = useForm(
    async ({ current = '', password: wanted = '' }) => {
      await changePassword(current, wanted);
      notify('Password changed.');
      onDone();
    },
    (thrown) => errorMessage(thrown, PASSWORD_FAILED),
  );
  const explained = explainRules(rules, password);
  const wrong = invalid('password', ERROR);
  const describedBy =
    [wrong?.['aria-describedby'], explained.length && 'rules'].filter(Boolean).join(' ') ||
    undefined;
  // Shown as text, it is still no text: nothing checks its spelling.
  const field = {
    type: shown ? 'text' : 'password',
    autoCapitalize: 'none',
    spellCheck: 'false',
    required: true,
  } as const;
  return (
    <form className="panel pad" method="post" onSubmit={submit}>
      <FormError id={ERROR}>{error}</FormError>
      {/* So that password managers know whose it is. */}
      <input
        type="text"
        name="username"
        autoComplete="username"
        readOnly
        hidden
        value={claims.value?.username}
      />
      <label>
        Current password
        <input
          {...field}
          name="current"
          autoComplete="current-password"
          {...invalid('current', ERROR)}
        />
      </label>
      <label>
        New password
        <input
          {...field}
          name="password"
          autoComplete="new-password"
          onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          {...wrong}
          aria-describedby={describedBy}
        />
      </label>
      {explained.length > 0 && (
        <ul className="rules" id="rules">
          {explained.map(({ text, met }) => (
            <li key={text} data-tone={met ? 'ok' : undefined}>
              {text}
            </li>
          ))}
        </ul>
      )}
      <label className="show">
        <input type="checkbox" checked={shown} onChange={() => setShown(!shown)} />
        Show passwords
      </label>
      <Submit busy={busy} sending="Changing...">
        Change password
      </Submit>
      <small className="muted">
        Your other devices have to log in again. They are notified as before.
      </small>
    </form>
  );
}
