import { useState } from 'react';
import { errorMessage } from '../../api/error';
import {
  ownAccount,
  ownAccountError,
  changeEmail,
  EMAIL_CHANGE_FAILED,
  hasPassword,
  loadAccount,
} from '../../state/account/own-account';
import { FormError, useForm } from '../../ui/forms/form';
import { notify } from '../../ui/notices';
import { Failure, useKeepFocus } from '../../ui/page';
import { EmailAddress } from '../../ui/values/Email';
import { usePasswords } from '../../ui/forms/passwords';

const ERROR_ID = 'email-error';

/** The new address counts once its link is opened. The server only says that it sent the link. */
export function ChangeEmail() {
  const [times, setTimes] = useState(0);
  const failure = ownAccountError.value;
  useKeepFocus(times, failure);
  return (
    <section aria-labelledby="email">
      <h2 id="email">Change email</h2>
      {failure && <Failure retry={() => void loadAccount()}>{failure}</Failure>}
      <EmailForm key={times} onDone={() => setTimes(times + 1)} />
    </section>
  );
}

function EmailForm({ onDone }: { onDone: () => void }) {
  const { field, checkbox } = usePasswords('Show password');
  const { onSubmit, error, invalid, busy } = useForm(
    async ({ email = '', password }) => {
      await changeEmail(email, password);
      notify('You’ll get an email with a link.', '');
      onDone();
    },
    (thrown) => errorMessage(thrown, EMAIL_CHANGE_FAILED),
  );
  return (
    <form className="panel pad" method="post" onSubmit={onSubmit}>
      <CurrentEmail />
      <FormError id={ERROR_ID}>{error}</FormError>
      <label>
        New email
        <input
          type="email"
          name="email"
          autoComplete="email"
          required
          {...invalid('email', ERROR_ID)}
        />
      </label>
      {hasPassword.value ? (
        <>
          <label>
            Password
            <input
              {...field}
              name="password"
              autoComplete="current-password"
              {...invalid('password', ERROR_ID)}
            />
          </label>
          {checkbox}
        </>
      ) : (
        <p className="muted">
          You can change your email only within 10 minutes of signing in. After that, sign out and
          sign in again.
        </p>
      )}
      <button type="submit" className="plain" aria-busy={busy || undefined} disabled={busy}>
        {busy ? 'Sending…' : 'Send link to new email'}
      </button>
    </form>
  );
}

/** @useSignals */
function CurrentEmail() {
  const { email, pendingEmail } = ownAccount.value ?? {};
  return (
    <>
      <p className="note" data-tone="warn" role="status">
        {pendingEmail && (
          <>
            We sent a link to <EmailAddress>{pendingEmail}</EmailAddress>.{' '}
            {email ? (
              <>
                Until you open the link, your email stays <EmailAddress>{email}</EmailAddress>.
              </>
            ) : (
              'The change takes effect when you open the link.'
            )}
          </>
        )}
      </p>
      {ownAccount.value && !pendingEmail && (
        <p>
          {email ? (
            <>
              Your email is <EmailAddress>{email}</EmailAddress>.
            </>
          ) : (
            'Your account has no email yet. Add one so you can reset a forgotten password.'
          )}
        </p>
      )}
    </>
  );
}
