import { useEffect } from 'react';
import { loadAccount } from '../../state/account/own-account';
import { isAdmin } from '../../state/session';
import { lazy } from '../../ui/lazy';
import { Heading } from '../../ui/page';
import { ChangeEmail } from './ChangeEmail';
import { ChangePassword } from './ChangePassword';
import { DevicesAndData } from './DevicesAndData';
import { LanguageSection } from './LanguageSection';

const TwoFactorSection = TWO_FACTOR
  ? lazy(() => import('../two-factor/TwoFactorSection').then((module) => module.TwoFactorSection))
  : () => null;

const Shortcuts = lazy(() =>
  import('../shortcuts/Shortcuts').then((module) => module.ShortcutSection),
);

export function Account() {
  useEffect(() => void loadAccount(), []);
  return (
    <>
      <Heading>Account</Heading>
      <LanguageSection />
      <ChangePassword />
      <ChangeEmail />
      {isAdmin.value && <TwoFactorSection />}
      {isAdmin.value && <Shortcuts />}
      <DevicesAndData />
    </>
  );
}
