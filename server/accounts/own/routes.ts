import * as v from 'valibot';
import { emailAddress } from '../../lib/fields';
import type { AddRoute } from '../../http/route';
import type { Services } from '../../services';
import { newPassword, typedPassword } from '../passwords/passwords';
import { readAccount } from './account';
import { askForEmail } from './email';
import { changePassword } from './password';
import { signOutEverywhere } from './sign-out-everywhere';

export function addOwnAccountRoutes(add: AddRoute, services: Services): void {
  add('GET /api/account', {
    access: 'user',
    answer: ({ user }) => readAccount(user, services),
  });
  add('PUT /api/account/password', {
    access: 'user',
    body: v.object({ current: typedPassword, password: newPassword }),
    answer: async ({ body, user, transact, header, address }) => ({
      token: await changePassword(
        body,
        { user, transact, authorization: header('authorization'), from: address },
        services,
      ),
    }),
  });
  add('PUT /api/account/email', {
    access: 'user',
    body: v.object({ email: emailAddress, password: v.exactOptional(typedPassword) }),
    answer: async ({ body, user, transact, header, address }) => {
      await askForEmail(
        body,
        { user, transact, authorization: header('authorization'), from: address },
        services,
      );
      return readAccount(user, services);
    },
  });
  add('POST /api/account/sign-out-everywhere', {
    access: 'user',
    answer: async ({ user, transact, header }) => ({
      token: await signOutEverywhere(
        { user, transact, authorization: header('authorization') },
        services,
      ),
    }),
  });
}
