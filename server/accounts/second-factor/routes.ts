import type { AddRoute } from '../../http/route';
import type { Services } from '../../services';
import {
  beginOwnSecondFactor,
  confirmOwnSecondFactor,
  readSecondFactor,
  renewRecoveryCodes,
  turnOffOwnSecondFactor,
} from './own-second-factor';
import { answerChallenge, beginChallenged, confirmChallenged } from './sign-in';

export function addSecondFactorRoutes(add: AddRoute, services: Services): void {
  add('POST /api/auth/second-factor', {
    action: 'sessions.create',
    answer: ({ body, address }) => answerChallenge(body, address, services),
  });
  add('POST /api/auth/second-factor/begin', {
    action: 'sessions.create',
    answer: ({ body }) => beginChallenged(body, services),
  });
  add('POST /api/auth/second-factor/confirm', {
    action: 'sessions.create',
    answer: ({ body, address }) => confirmChallenged(body, address, services),
  });
  add('GET /api/account/second-factor', {
    action: 'second-factor.read',
    answer: ({ user }) => readSecondFactor(user, services),
  });
  add('POST /api/account/second-factor/begin', {
    action: 'second-factor.change',
    answer: (call) => beginOwnSecondFactor(call, call.body.password, services),
  });
  add('POST /api/account/second-factor/confirm', {
    action: 'second-factor.change',
    answer: async ({ body, user, transact }) => ({
      recoveryCodes: await confirmOwnSecondFactor(body, user.id, transact, services),
    }),
  });
  add('POST /api/account/second-factor/recovery-codes', {
    action: 'second-factor.change',
    answer: async ({ body, user, transact }) => ({
      recoveryCodes: await renewRecoveryCodes(body.code, user.id, transact, services),
    }),
  });
  add('DELETE /api/account/second-factor', {
    action: 'second-factor.change',
    answer: async ({ body, user, transact }) => {
      await turnOffOwnSecondFactor(body.code, user.id, transact, services);
      return { message: 'The authenticator app was turned off.' };
    },
  });
}
