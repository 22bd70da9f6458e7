import { useEffect } from 'react';
import { loadAccount } from '../../state/account/own';
import { isAdmin } from '../../state/session';
import { lazy } from '../../ui/lazy';
import { Heading } from '../../ui/page';
import { ChangeEmail } from './ChangeEmail';
import { ChangePassword } from './ChangePassword';
import { DevicesAndData } from './DevicesAndData';

const SecondStep = SECOND_FACTOR
  ? lazy(() => import('../second-factor/Section').then((module) => module.SecondFactorSection))
  : () => null;

const Shortcuts = lazy(() =>
  import('../shortcuts/Shortcuts').then((module) => module.ShortcutSection),
);

export function Account() {
  useEffect(() => void loadAccount(), []);
  return (
    <>
      <Heading>Account</Heading>
      <ChangePassword />
      <ChangeEmail />
      {isAdmin.value && <SecondStep />}
      {isAdmin.value && <Shortcuts />}
      <DevicesAndData />
    </>
  );
}
