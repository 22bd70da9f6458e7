/** Links that sign a new phone in. */
import { call } from '../../api/call';
import { phoneLinkSchema } from '../../shared/contract/accounts' with { type: 'example' };
import type { PhoneLink } from '../../shared/contract';
import { readBrowserToken, SIGN_IN_FAILED, signIn } from '../session';

export const PHONE_LINK_FAILED = 'Failed to create a sign-in link.';

export const createOwnPhoneLink = (): Promise<PhoneLink> =>
  call('POST /api/account/phone-link', { fallback: PHONE_LINK_FAILED, like: phoneLinkSchema });

export const createPhoneLinkFor = (id: number): Promise<PhoneLink> =>
  call('POST /api/admin/users/:id/phone-link', {
    params: { id },
    fallback: PHONE_LINK_FAILED,
    like: phoneLinkSchema,
  });

export const PHONE_LINK_UNREAD = 'Failed to check the sign-in link.';

/** Loads the name of the person whom the link signs in. */
export const readPhoneLinkOwner = (token: string): Promise<{ username: string }> =>
  call('POST /api/auth/phone-link/owner', { body: { token }, fallback: PHONE_LINK_UNREAD });

export const signInWithPhoneLink = (token: string): Promise<void> =>
  signIn(
    '',
    '',
    call('POST /api/auth/phone-link', {
      body: { token, clientToken: readBrowserToken() },
      fallback: SIGN_IN_FAILED,
    }),
  );
