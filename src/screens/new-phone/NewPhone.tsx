import { useState } from 'react';
import { errorMessage } from '../../api/error';
import { replacePath } from '../../platform/location';
import {
  PHONE_LINK_UNREAD,
  readPhoneLinkOwner,
  signInWithPhoneLink,
} from '../../state/account/new-phone';
import { claims, SIGN_IN_FAILED } from '../../state/session';
import { AuthPage } from '../../ui/AuthPage';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { LastOutcome, ToLogin } from '../../ui/Outcome';
import { Failure, Skeleton } from '../../ui/page';
import { useLoad } from '../lists/load';

/** Signs in with the code that the old phone or an administrator showed. */
export function NewPhone() {
  const [token] = useState(takeToken);
  const { value, failure, unreachable, reload } = useLoad(
    token,
    readPhoneLinkOwner,
    PHONE_LINK_UNREAD,
  );
  return (
    <AuthPage title="New phone" heading="Use this phone">
      {value ? (
        <SignIn token={token} username={value.username} />
      ) : unreachable ? (
        <Failure retry={reload}>{failure}</Failure>
      ) : failure ? (
        <LastOutcome tone="bad">
          {failure} Ask for a new code, or sign in with your password.
        </LastOutcome>
      ) : (
        <Skeleton />
      )}
    </AuthPage>
  );
}

function SignIn({ token, username }: { token: string; username: string }) {
  const [before] = useState(claims.value);
  const { submit, error, busy } = useForm(
    async () => {
      await signInWithPhoneLink(token);
      replacePath('/');
    },
    (thrown) => errorMessage(thrown, SIGN_IN_FAILED),
  );
  return (
    <form method="post" onSubmit={submit}>
      <FormError>{error}</FormError>
      <p>
        This phone will receive the notifications of{' '}
        <b>
          <bdi>{username}</bdi>
        </b>
        .
      </p>
      {before && before.username !== username && (
        <p className="muted">
          You’re signed in as <bdi>{before.username}</bdi> here, and will be signed out.
        </p>
      )}
      <Submit busy={busy} sending="Signing in...">
        Sign in
      </Submit>
      <ToLogin />
    </form>
  );
}

/** Out of the address: it must not stay in the history. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(null, '', location.pathname);
  return token;
}
