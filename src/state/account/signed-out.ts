/** Account calls for people who are not signed in. */
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { withIdempotencyKey } from '../../api/idempotency';
import { readBrowserToken, storeBrowserToken } from '../session';

/** Shown as instructions instead (S2.21). */
const INVALID_LINK = 'Invalid or expired registration link.';

/**
 * Checks the code: the server's sentence may be in another language. Other backends send only the
 * sentence.
 */
export const isInvalidLink = (thrown: unknown): boolean =>
  thrown instanceof ApiError &&
  (thrown.body?.code === 'invalid_link' || thrown.message === INVALID_LINK);

export const REGISTRATION_FAILED = 'Failed to complete registration.';

/** Completes a registration with the link's token; a retry is safe. */
export async function completeRegistration(body: {
  token: string;
  password: string;
  email: string;
}): Promise<void> {
  const endpoint = 'POST /api/auth/complete-registration';
  // The idempotency key covers only what was typed: after a lost response, a changed `clientToken`
  // must not make the link look used.
  const sentBody = { ...body, clientToken: readBrowserToken() };
  storeBrowserToken(
    await withIdempotencyKey(endpoint, body, (idempotencyKey) =>
      call(endpoint, { body: sentBody, idempotencyKey, fallback: REGISTRATION_FAILED }),
    ),
  );
}

/** Whether a registration link is valid, and for whom. */
export const readRegistrationLink = (token: string) =>
  call('GET /api/auth/registration/:token', { params: { token }, fallback: '' });

export const readPasswordRules = () => call('GET /api/auth/password-rules', { fallback: '' });

export const PASSWORD_RESET_FAILED = 'Failed to reset password.';

export async function resetPassword(token: string, password: string): Promise<void> {
  storeBrowserToken(
    await call('POST /api/auth/reset-password', {
      body: { token, password, clientToken: readBrowserToken() },
      fallback: PASSWORD_RESET_FAILED,
    }),
  );
}

export const RESET_REQUEST_FAILED = 'Failed to send password reset email.';

export const requestPasswordReset = (email: string): Promise<unknown> =>
  call('POST /api/auth/request-password-reset', {
    body: { email },
    fallback: RESET_REQUEST_FAILED,
  });

export const VERIFICATION_FAILED = 'Failed to verify email.';

export const verifyEmail = (token: string): Promise<unknown> =>
  call('GET /api/auth/verify-email/:token', { params: { token }, fallback: VERIFICATION_FAILED });

export const VERIFICATION_RESEND_FAILED = 'Failed to resend verification email.';

export const resendVerification = (email: string): Promise<unknown> =>
  call('POST /api/auth/resend-verification', {
    body: { email },
    fallback: VERIFICATION_RESEND_FAILED,
  });
