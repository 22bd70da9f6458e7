import { useState } from 'react';
import { errorMessage } from '../../api/error';
import {
  completeRegistration,
  isInvalidLink,
  REGISTRATION_FAILED,
} from '../../state/account/signed-out';
import { isSignedIn, registeredUsername } from '../../state/session';
import { AuthPage } from '../../ui/AuthPage';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { lazy } from '../../ui/lazy';
import { OutcomeWithLoginLink, Outcome, LoginLink } from '../../ui/Outcome';
import { requireSamePasswords, NewPassword } from './NewPassword';
import { useRegistrationLink } from './password-rules';
import { SignInNow } from './SignInNow';

const IphoneSteps = lazy(() =>
  import('../new-phone/IphoneSteps').then((module) => module.IphoneSteps),
);

export function Register({ token }: { token: string }) {
  const link = useRegistrationLink(token);
  const [sentPassword, setSentPassword] = useState('');
  const [isRejected, setIsRejected] = useState(false);
  const { onSubmit, error, invalid, busy, done } = useForm(
    async ({ email = '', password = '', confirm }) => {
      requireSamePasswords(password, confirm);
      setSentPassword(password);
      await completeRegistration({ token, password, email });
      registeredUsername.value = link.username ?? '';
    },
    (thrown) => {
      setIsRejected(isInvalidLink(thrown));
      return errorMessage(thrown, REGISTRATION_FAILED);
    },
  );
  return (
    <AuthPage title="Complete registration" heading="Complete your registration">
      {done ? (
        <>
          <Outcome tone="ok">Registration complete! You can now log in.</Outcome>
          <IphoneSteps />
          {link.username && !isSignedIn.value && (
            <SignInNow username={link.username} password={sentPassword} />
          )}
          <LoginLink />
        </>
      ) : isRejected || !token || (link.isInvalid && !sentPassword) ? (
        <OutcomeWithLoginLink tone="bad">
          This registration link is invalid or has already been used. If you believe this is a
          mistake, please contact support or request a new registration link.
        </OutcomeWithLoginLink>
      ) : (
        <form method="post" onSubmit={onSubmit}>
          <FormError>{error}</FormError>
          {link.username && (
            <label>
              Username
              {/* A field, so that password managers save this name with the password, not the email
                  address. */}
              <input
                type="text"
                name="username"
                autoComplete="username"
                readOnly
                value={link.username}
              />
            </label>
          )}
          <label>
            Email
            <input type="email" name="email" autoComplete="email" required {...invalid('email')} />
          </label>
          <NewPassword invalid={invalid} rules={link.passwordRules} />
          <Submit busy={busy} busyText="Activating…">
            Set Password & Activate
          </Submit>
        </form>
      )}
    </AuthPage>
  );
}
