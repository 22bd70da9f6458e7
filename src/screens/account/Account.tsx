import { useEffect } from 'react';
import { loadAccount } from '../../state/own-account';
import { Heading } from '../../ui/page';
import { ChangeEmail } from './ChangeEmail';
import { ChangePassword } from './ChangePassword';
import { DevicesAndData } from './DevicesAndData';

/** What people change of their own account, and take with them. */
export function Account() {
  useEffect(() => void loadAccount(), []);
  return (
    <>
      <Heading>Account</Heading>
      <ChangePassword />
      <ChangeEmail />
      <DevicesAndData />
    </>
  );
}
