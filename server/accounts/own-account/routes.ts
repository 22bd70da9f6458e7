import type { AddRoute } from '../../http/route';
import { readAcceptLanguage } from '../../translation/accept-language';
import type { Services } from '../../services';
import { readAccount } from './account';
import { requestEmailChange } from './email';
import { changeLanguage } from './language';
import { changePassword } from './password';
import { signOutEverywhere } from './sign-out-everywhere';

export function addOwnAccountRoutes(add: AddRoute, services: Services): void {
  add('GET /api/account', {
    action: 'account.read',
    respond: ({ user }) => readAccount(user, services),
  });
  add('PUT /api/account/password', {
    action: 'account.change',
    respond: async (call) => ({
      token: await changePassword(call.body, call, services),
    }),
  });
  add('PUT /api/account/email', {
    action: 'account.change',
    respond: async (call) => {
      await requestEmailChange(call.body, call, services);
      return readAccount(call.user, services);
    },
  });
  add('PUT /api/account/language', {
    action: 'account.change',
    respond: ({ body, header, user, transact }) =>
      changeLanguage(
        body.language,
        readAcceptLanguage(header('accept-language')),
        user.id,
        transact,
      ),
  });
  add('POST /api/account/sign-out-everywhere', {
    action: 'account.change',
    respond: async (call) => ({ token: await signOutEverywhere(call, services) }),
  });
}
