import { useState } from 'react';
import { errorMessage } from '../../api/error';
import { replacePath } from '../../platform/location';
import {
  PHONE_LINK_UNREAD,
  readPhoneLinkOwner,
  signInWithPhoneLink,
} from '../../state/account/new-phone';
import { isPushSupported, permission, requestPermission } from '../../state/device/permission';
import { claims, SIGN_IN_FAILED } from '../../state/session';
import { AuthPage } from '../../ui/AuthPage';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { lazy } from '../../ui/lazy';
import { OutcomeWithLoginLink, LoginLink } from '../../ui/Outcome';
import { Failure, Skeleton } from '../../ui/page';
import { useLoad } from '../lists/use-load';

const IphoneSteps = lazy(() => import('./IphoneSteps').then((module) => module.IphoneSteps));

/** Signs in with the code that the old phone or an administrator showed, or with its link. */
export function NewPhone() {
  const [token, setToken] = useState(takeToken);
  return (
    <AuthPage title="New phone" heading="Use this phone">
      {token ? <Checked token={token} /> : <Paste onPaste={setToken} />}
    </AuthPage>
  );
}

/** A link can't open the installed app of an iPhone. */
function Paste({ onPaste }: { onPaste: (token: string) => void }) {
  const { submit, error } = useForm(
    async ({ link = '' }) => use(link),
    (thrown) => (thrown as Error).message,
  );
  function use(link: string) {
    const token = tokenIn(link);
    if (!token) throw new Error('This isn’t a sign-in link.');
    onPaste(token);
  }
  return (
    <form method="post" onSubmit={submit}>
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
            const token = tokenIn(event.clipboardData.getData('text'));
            if (token) onPaste(token);
          }}
        />
      </label>
      <Submit busy={false} sending="">
        Continue
      </Submit>
      <LoginLink />
    </form>
  );
}

const tokenIn = (link: string): string => /\/new-phone#([\w-]+)\s*$/.exec(link)?.[1] ?? '';

function Checked({ token }: { token: string }) {
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
  const [before] = useState(claims.value);
  const asks = isPushSupported.value && permission.value === 'default';
  const { submit, error, busy } = useForm(
    async () => {
      // Browsers show their question only within the press.
      if (asks) requestPermission().catch(() => {}); // the home screen offers it again
      await signInWithPhoneLink(token);
      replacePath('/');
    },
    (thrown) => errorMessage(thrown, SIGN_IN_FAILED),
  );
  return (
    <form method="post" onSubmit={submit}>
      <FormError>{error}</FormError>
      <p>
        This phone will get notifications for{' '}
        <b>
          <bdi>{username}</bdi>
        </b>
        .
      </p>
      {before && before.username !== username && (
        <p className="muted">
          You’re signed in as <bdi>{before.username}</bdi> here. You’ll be signed out first.
        </p>
      )}
      <IphoneSteps link={`${location.origin}/new-phone#${token}`} />
      <Submit busy={busy} sending="Signing in…">
        {asks ? 'Sign in and allow notifications' : 'Sign in'}
      </Submit>
      <LoginLink />
    </form>
  );
}

/** Out of the address: it must not stay in the history. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(null, '', location.pathname);
  return token;
}
