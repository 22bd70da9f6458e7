import * as v from 'valibot';
import { emailAddress } from '../../lib/fields';
import type { AddRoute } from '../../http/route';
import type { Services } from '../../services';
import { newPassword, typedPassword } from '../passwords/passwords';
import { readAccount } from './account';
import { askerOf } from './asker';
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
    answer: async (call) => ({
      token: await changePassword(call.body, askerOf(call), services),
    }),
  });
  add('PUT /api/account/email', {
    access: 'user',
    body: v.object({ email: emailAddress, password: v.exactOptional(typedPassword) }),
    answer: async (call) => {
      await askForEmail(call.body, askerOf(call), services);
      return readAccount(call.user, services);
    },
  });
  add('POST /api/account/sign-out-everywhere', {
    access: 'user',
    answer: async (call) => ({ token: await signOutEverywhere(askerOf(call), services) }),
  });
}
