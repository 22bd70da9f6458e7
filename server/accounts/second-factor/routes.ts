import * as v from 'valibot';
import type { AddRoute } from '../../http/route';
import { cleanText } from '../../../src/shared/contract/fields';
import type { Services } from '../../services';
import { askerOf } from '../own/asker';
import { typedPassword } from '../passwords/passwords';
import { beginOwn, confirmOwn, readSecondFactor, renewCodes, switchOwnOff } from './own';
import { answerChallenge, beginChallenged, confirmChallenged } from './sign-in';

const sealed = (name: string) => v.pipe(cleanText(name), v.maxLength(2048, `${name} is too long.`));
/** Of an app or for recovery, however it was typed. */
const code = v.pipe(
  cleanText('Code'),
  v.trim(),
  v.minLength(1, 'Please enter a code.'),
  v.maxLength(64, 'This code is too long.'),
);
const challenge = sealed('Challenge');
const begun = sealed('Begun');
/** What a browser has kept, whatever became of it there, must not keep anybody from signing in. */
const clientToken = v.exactOptional(v.fallback(v.nullable(v.string()), null));

export function addSecondFactorRoutes(add: AddRoute, services: Services): void {
  add('POST /api/auth/second-factor', {
    action: 'sessions.create',
    body: v.object({ challenge, code, clientToken }),
    answer: ({ body, address }) => answerChallenge(body, address, services),
  });
  add('POST /api/auth/second-factor/begin', {
    action: 'sessions.create',
    body: v.object({ challenge }),
    answer: ({ body }) => beginChallenged(body, services),
  });
  add('POST /api/auth/second-factor/confirm', {
    action: 'sessions.create',
    body: v.object({ challenge, begun, code, clientToken }),
    answer: ({ body, address }) => confirmChallenged(body, address, services),
  });
  add('GET /api/account/second-factor', {
    action: 'second-factor.read',
    answer: ({ user }) => readSecondFactor(user, services),
  });
  add('POST /api/account/second-factor/begin', {
    action: 'second-factor.change',
    body: v.optional(v.object({ password: v.exactOptional(typedPassword) }), {}),
    answer: (call) => beginOwn(askerOf(call), call.body.password, services),
  });
  add('POST /api/account/second-factor/confirm', {
    action: 'second-factor.change',
    body: v.object({ begun, code }),
    answer: async ({ body, user, transact }) => ({
      recoveryCodes: await confirmOwn(body, user.id, transact, services),
    }),
  });
  add('POST /api/account/second-factor/recovery-codes', {
    action: 'second-factor.change',
    body: v.object({ code }),
    answer: async ({ body, user, transact }) => ({
      recoveryCodes: await renewCodes(body.code, user.id, transact, services),
    }),
  });
  add('DELETE /api/account/second-factor', {
    action: 'second-factor.change',
    body: v.object({ code }),
    answer: async ({ body, user, transact }) => {
      await switchOwnOff(body.code, user.id, transact, services);
      return { message: 'The authenticator app was switched off.' };
    },
  });
}
