// An administrator's second step and authenticator app, in builds with `ADMIN_TOTP`.
import { signal } from '@preact/signals-react';
import { call } from '../../api/call';
import {
  twoFactorSetUpSchema,
  confirmedSchema,
  newCodesSchema,
  twoFactorSchema,
} from '../../shared/contract/two-factor' with { type: 'example' };
import type { ResponseOf, TwoFactorSetUp, TwoFactor } from '../../shared/contract';
import { pendingChallenge } from './challenge';
import { readBrowserToken, SIGN_IN_FAILED, signIn } from '../session';

export const TWO_FACTOR_FAILED = 'Failed to load your two-factor settings.';
export const TWO_FACTOR_SETUP_FAILED = 'Failed to start the setup.';
export const CODE_CHECK_FAILED = 'Failed to check the code. Try again.';
export const TWO_FACTOR_OFF_FAILED = 'Failed to turn off two-factor authentication.';
export const RECOVERY_CODES_FAILED = 'Failed to create new recovery codes.';

const readChallenge = (): string => pendingChallenge.value?.challenge ?? '';

/**
 * Continues with a code.
 * @throws {ApiError} with path `code` if the code is wrong
 */
export async function sendSignInCode(code: string): Promise<void> {
  await signIn(
    '',
    '',
    call('POST /api/auth/second-factor', {
      body: { challenge: readChallenge(), code, clientToken: readBrowserToken() },
      fallback: SIGN_IN_FAILED,
    }),
  );
  pendingChallenge.value = null;
}

/** @throws {ApiError} */
export const beginTwoFactor = (): Promise<TwoFactorSetUp> =>
  call('POST /api/auth/second-factor/begin', {
    body: { challenge: readChallenge() },
    fallback: TWO_FACTOR_SETUP_FAILED,
    like: twoFactorSetUpSchema,
  });

/** The session that starts once the recovery codes are saved. */
export const waitingSession = signal<ResponseOf<'POST /api/auth/second-factor/confirm'> | null>(
  null,
);

/**
 * Resolves with the recovery codes; the server shows them only once.
 * @throws {ApiError}
 */
export async function confirmTwoFactor(
  setUpToken: string,
  code: string,
): Promise<readonly string[]> {
  const response = await call('POST /api/auth/second-factor/confirm', {
    body: { challenge: readChallenge(), begun: setUpToken, code, clientToken: readBrowserToken() },
    fallback: CODE_CHECK_FAILED,
    like: confirmedSchema,
  });
  waitingSession.value = response;
  return response.recoveryCodes;
}

export async function enterWaitingSession(): Promise<void> {
  const response = waitingSession.value;
  if (!response) return;
  await signIn('', '', Promise.resolve(response));
  waitingSession.value = pendingChallenge.value = null;
}

/** @throws {ApiError} */
export const readTwoFactor = (): Promise<TwoFactor> =>
  call('GET /api/account/second-factor', { fallback: TWO_FACTOR_FAILED, like: twoFactorSchema });

/**
 * @param password undefined if there is none: the server then wants a recent sign-in
 * @throws {ApiError} with path `password` if it is wrong
 */
export const beginOwnTwoFactor = (password: string | undefined): Promise<TwoFactorSetUp> =>
  call('POST /api/account/second-factor/begin', {
    body: password === undefined ? {} : { password },
    fallback: TWO_FACTOR_SETUP_FAILED,
    like: twoFactorSetUpSchema,
  });

/**
 * Resolves with the recovery codes; the server shows them only once.
 * @throws {ApiError}
 */
export const confirmOwnTwoFactor = async (
  setUpToken: string,
  code: string,
): Promise<readonly string[]> =>
  (
    await call('POST /api/account/second-factor/confirm', {
      body: { begun: setUpToken, code },
      fallback: CODE_CHECK_FAILED,
      like: newCodesSchema,
    })
  ).recoveryCodes;

/**
 * Replaces the recovery codes; the old ones expire.
 * @throws {ApiError}
 */
export const renewRecoveryCodes = async (code: string): Promise<readonly string[]> =>
  (
    await call('POST /api/account/second-factor/recovery-codes', {
      body: { code },
      fallback: RECOVERY_CODES_FAILED,
      like: newCodesSchema,
    })
  ).recoveryCodes;

/** @throws {ApiError} */
export const turnOffTwoFactor = (code: string): Promise<unknown> =>
  call('DELETE /api/account/second-factor', { body: { code }, fallback: TWO_FACTOR_OFF_FAILED });
