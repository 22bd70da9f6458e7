import type { AddRoute } from '../../http/route';
import type { Services } from '../../services';
import {
  beginOwnTwoFactor,
  confirmOwnTwoFactor,
  readTwoFactor,
  renewRecoveryCodes,
  turnOffOwnTwoFactor,
} from './own-two-factor';
import { passChallenge, beginSetUpAtSignIn, confirmSetUpAtSignIn } from './sign-in';

export function addTwoFactorRoutes(add: AddRoute, services: Services): void {
  add('POST /api/auth/second-factor', {
    action: 'sessions.create',
    respond: ({ body, address }) => passChallenge(body, address, services),
  });
  add('POST /api/auth/second-factor/begin', {
    action: 'sessions.create',
    respond: ({ body }) => beginSetUpAtSignIn(body, services),
  });
  add('POST /api/auth/second-factor/confirm', {
    action: 'sessions.create',
    respond: ({ body, address }) => confirmSetUpAtSignIn(body, address, services),
  });
  add('GET /api/account/second-factor', {
    action: 'two-factor.read',
    respond: ({ user }) => readTwoFactor(user, services),
  });
  add('POST /api/account/second-factor/begin', {
    action: 'two-factor.change',
    respond: (call) => beginOwnTwoFactor(call, call.body.password, services),
  });
  add('POST /api/account/second-factor/confirm', {
    action: 'two-factor.change',
    respond: async ({ body, user, transact }) => ({
      recoveryCodes: await confirmOwnTwoFactor(body, user.id, transact, services),
    }),
  });
  add('POST /api/account/second-factor/recovery-codes', {
    action: 'two-factor.change',
    respond: async ({ body, user, transact }) => ({
      recoveryCodes: await renewRecoveryCodes(body.code, user.id, transact, services),
    }),
  });
  add('DELETE /api/account/second-factor', {
    action: 'two-factor.change',
    respond: async ({ body, user, transact }) => {
      await turnOffOwnTwoFactor(body.code, user.id, transact, services);
      return { message: 'Two-factor authentication was turned off.' };
    },
  });
}
