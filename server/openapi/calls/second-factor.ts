/** The second step of an administrator's sign-in. */
import * as v from 'valibot';
import type { BegunSecondFactor, SecondFactorCalls } from '../../../src/shared/contract';
import { shapeOf } from '../call';
import type { Area } from '../call';
import { admin, secrets } from '../samples';
import { user } from '../../../src/shared/contract/accounts';
import { begunSecondFactor, clientToken, secondFactor } from '../shapes/accounts';
import { done, text } from '../shapes/common';
import { password } from './sign-in';

const [recovery = ''] = secrets.recovery;
const [first = '', second = '', third = ''] = secrets.ownCodes;
const recoveryCodes = v.pipe(
  v.array(text),
  v.description('Each works once, in the place of a code. They are told this once.'),
);
const begun: BegunSecondFactor = {
  secret: secrets.totp,
  link: `otpauth://totp/Fieldbell:${admin.username}?issuer=Fieldbell&secret=${secrets.totp}&algorithm=SHA1&digits=6&period=30`,
  begun: secrets.begun,
};
const signedIn = { token: secrets.session, user: admin, clientToken: secrets.client };
const MANY = 'Too many codes were tried for this account.';
const WRONG = 'The code is wrong (path `code`), or the challenge is over.';
const OFF = 'It is switched off, or there is one already.';
const NONE = 'There is none.';

export const secondFactorCalls = {
  'POST /api/auth/second-factor': {
    does: 'Sign in with a code besides',
    more: 'Where a sign-in is refused with 401, the `code` `second_factor` and a `challenge`: a code of the authenticator app, or a recovery code. Each works once.',
    body: { challenge: secrets.challenge, code: recovery, clientToken: null },
    shape: shapeOf<SecondFactorCalls['POST /api/auth/second-factor']['answer']>()(
      v.object({ token: text, user, clientToken }),
    ),
    answer: signedIn,
    refusals: { 400: WRONG, 429: MANY },
  },
  'POST /api/auth/second-factor/begin': {
    does: 'Begin to set up an authenticator app while signing in',
    more: 'Where a sign-in is refused with the `code` `second_factor_set_up`.',
    body: { challenge: secrets.setUpChallenge },
    shape: begunSecondFactor,
    answer: begun,
  },
  'POST /api/auth/second-factor/confirm': {
    does: 'Set up an authenticator app and sign in',
    body: {
      challenge: secrets.setUpChallenge,
      begun: secrets.begun,
      code: secrets.code,
      clientToken: null,
    },
    shape: shapeOf<SecondFactorCalls['POST /api/auth/second-factor/confirm']['answer']>()(
      v.object({ token: text, user, clientToken, recoveryCodes }),
    ),
    answer: { ...signedIn, recoveryCodes: secrets.recovery },
    refusals: { 400: WRONG },
  },
  'GET /api/account/second-factor': {
    does: 'Tell whether one’s sign-in asks for a code',
    shape: secondFactor,
    answer: { mode: 'optional', isOn: true, recoveryCodesLeft: 10, hasPassword: true },
  },
  'POST /api/account/second-factor/begin': {
    does: 'Begin to set up an authenticator app',
    more: 'Nothing is kept of it until a code is confirmed. Who has no password needs a sign-in of the last ten minutes.',
    body: { password },
    shape: begunSecondFactor,
    answer: { ...begun, begun: secrets.ownBegun },
    refusals: {
      400: 'The password is missing.',
      403: 'The password is wrong, or the sign-in too old.',
      409: OFF,
      429: 'There were too many wrong passwords.',
    },
  },
  'POST /api/account/second-factor/confirm': {
    does: 'Set up an authenticator app',
    body: { begun: secrets.ownBegun, code: first },
    shape: v.object({ recoveryCodes }),
    answer: { recoveryCodes: secrets.recovery },
    refusals: { 400: WRONG, 409: OFF },
  },
  'POST /api/account/second-factor/recovery-codes': {
    does: 'Make new recovery codes',
    more: 'Those before end.',
    body: { code: second },
    shape: v.object({ recoveryCodes }),
    answer: { recoveryCodes: secrets.recovery },
    refusals: { 400: WRONG, 409: NONE, 429: MANY },
  },
  'DELETE /api/account/second-factor': {
    does: 'Switch the authenticator app off',
    body: { code: third },
    shape: done,
    answer: { message: 'The authenticator app was switched off.' },
    refusals: { 400: WRONG, 409: NONE, 429: MANY },
  },
} satisfies Area<SecondFactorCalls>;
