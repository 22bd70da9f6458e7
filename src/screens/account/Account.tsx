import { useEffect } from 'react';
import { ownAccount, loadAccount } from '../../state/account/own-account';
import { sessionClaims, isAdmin } from '../../state/session';
import { lazy } from '../../ui/lazy';
import { Heading } from '../../ui/page';
import { EmailAddress } from '../../ui/values/Email';
import { Initials } from '../../ui/values/Initials';
import { ROLE_NAMES } from '../user-labels';
import { ChangeEmail } from './ChangeEmail';
import { ChangePassword } from './ChangePassword';
import { DevicesAndData } from './DevicesAndData';
import { LanguageSection } from './LanguageSection';

const TwoFactorSection = TWO_FACTOR
  ? lazy(() => import('../two-factor/TwoFactorSection').then((module) => module.TwoFactorSection))
  : () => null;

const PasskeySection = PASSKEYS
  ? lazy(() => import('../passkeys/PasskeySection').then((module) => module.PasskeySection))
  : () => null;

const Shortcuts = lazy(() =>
  import('../shortcuts/Shortcuts').then((module) => module.ShortcutSection),
);

export function Account() {
  useEffect(() => void loadAccount(), []);
  return (
    <div className="narrow">
      <Heading>Account</Heading>
      <Identity />
      <LanguageSection />
      <ChangePassword />
      <ChangeEmail />
      <PasskeySection />
      {isAdmin.value && <TwoFactorSection />}
      {isAdmin.value && <Shortcuts />}
      <DevicesAndData />
    </div>
  );
}

/** Who is signed in. */
function Identity() {
  const { username, role } = sessionClaims.value ?? {};
  if (!username || !role) return null;
  const email = ownAccount.value?.email;
  return (
    <div className="panel pad line">
      <Initials name={username} />
      <span>
        <b>
          <bdi>{username}</bdi>
        </b>
        <small className="muted">
          {email && (
            <>
              <EmailAddress>{email}</EmailAddress> ·{' '}
            </>
          )}
          {ROLE_NAMES[role]}
        </small>
      </span>
    </div>
  );
}
