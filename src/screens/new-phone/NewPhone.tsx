import { useState } from 'react';
import { errorMessage } from '../../api/error';
import { replacePath } from '../../platform/location';
import {
  PHONE_LINK_UNREAD,
  readPhoneLinkOwner,
  signInWithPhoneLink,
} from '../../state/account/new-phone';
import {
  isPushSupported,
  notificationPermission,
  requestPermission,
} from '../../state/device/permission';
import { sessionClaims, SIGN_IN_FAILED } from '../../state/session';
import { AuthPage } from '../../ui/AuthPage';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { lazy } from '../../ui/lazy';
import { OutcomeWithLoginLink, LoginLink } from '../../ui/Outcome';
import { Failure, Skeleton } from '../../ui/page';
import { useLoad } from '../lists/use-load';

const IphoneSteps = lazy(() => import('./IphoneSteps').then((module) => module.IphoneSteps));

/** Signs in with the code that the old phone or an administrator showed, or with its link. */
export function NewPhone() {
  const [token, setToken] = useState(takeTokenFromAddress);
  return (
    <AuthPage title="New phone" heading="Use this phone">
      {token ? <CheckedLink token={token} /> : <PasteLink onPaste={setToken} />}
    </AuthPage>
  );
}

/** A link can't open the installed app of an iPhone. */
function PasteLink({ onPaste }: { onPaste: (token: string) => void }) {
  const { onSubmit, error } = useForm(
    async ({ link = '' }) => readLink(link),
    (thrown) => (thrown as Error).message,
  );
  function readLink(link: string) {
    const token = tokenInLink(link);
    if (!token) throw new Error('This isn’t a sign-in link.');
    onPaste(token);
  }
  return (
    <form method="post" onSubmit={onSubmit}>
      <FormError>{error}</FormError>
      <p>
        On your other phone, press <b>Use another phone</b> and copy the link.
      </p>
      <label>
        Sign-in link
        <input
          type="text"
          name="link"
          inputMode="url"
          autoComplete="off"
          required
          onPaste={(event) => {
            const token = tokenInLink(event.clipboardData.getData('text'));
            if (token) onPaste(token);
          }}
        />
      </label>
      <Submit busy={false} busyText="">
        Continue
      </Submit>
      <LoginLink />
    </form>
  );
}

const tokenInLink = (link: string): string => /\/new-phone#([\w-]+)\s*$/.exec(link)?.[1] ?? '';

function CheckedLink({ token }: { token: string }) {
  const { value, failure, unreachable, reload } = useLoad(
    token,
    readPhoneLinkOwner,
    PHONE_LINK_UNREAD,
  );
  if (value) return <SignIn token={token} username={value.username} />;
  if (unreachable) return <Failure retry={reload}>{failure}</Failure>;
  if (!failure) return <Skeleton />;
  return (
    <OutcomeWithLoginLink tone="bad">
      {failure} Ask for a new link, or sign in with your password.
    </OutcomeWithLoginLink>
  );
}

function SignIn({ token, username }: { token: string; username: string }) {
  const [formerClaims] = useState(sessionClaims.value);
  const asksPermission = isPushSupported.value && notificationPermission.value === 'default';
  const { onSubmit, error, busy } = useForm(
    async () => {
      // Browsers show their question only within the press.
      if (asksPermission) requestPermission().catch(() => {}); // the home screen asks again
      await signInWithPhoneLink(token);
      replacePath('/');
    },
    (thrown) => errorMessage(thrown, SIGN_IN_FAILED),
  );
  return (
    <form method="post" onSubmit={onSubmit}>
      <FormError>{error}</FormError>
      <p>
        This phone will get notifications for{' '}
        <b>
          <bdi>{username}</bdi>
        </b>
        .
      </p>
      {formerClaims && formerClaims.username !== username && (
        <p className="muted">
          You’re signed in as <bdi>{formerClaims.username}</bdi> here. You’ll be signed out first.
        </p>
      )}
      <IphoneSteps link={`${location.origin}/new-phone#${token}`} />
      <Submit busy={busy} busyText="Signing in…">
        {asksPermission ? 'Sign in and allow notifications' : 'Sign in'}
      </Submit>
      <LoginLink />
    </form>
  );
}

/** The token leaves the address, because it must not stay in the history. */
function takeTokenFromAddress(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(null, '', location.pathname);
  return token;
}
