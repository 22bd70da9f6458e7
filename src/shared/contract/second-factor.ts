/** Codes of an authenticator app (RFC 6238) as the second step of an administrator's sign-in. */
import type { AccountCalls, KnownClient } from './sign-in';
import type { Message } from './common';

/** Whether the server lets administrators set one up, or demands it at their next sign-in. */
export type SecondFactorMode = 'off' | 'optional' | 'required';

export interface SecondFactor {
  mode: SecondFactorMode;
  /** Whether this person is asked for a code, which goes on when the mode changes. */
  isOn: boolean;
  recoveryCodesLeft: number;
  /** False for who signs in by the company alone. */
  hasPassword: boolean;
}

/** What is set up, and counts once a code of it is confirmed, within half an hour. */
export interface BegunSecondFactor {
  /** In base32, for who types it. */
  secret: string;
  /** The same as `otpauth://…`, for an app or a QR code. */
  link: string;
  /** Sealed by the server, which keeps nothing of it until it is confirmed. */
  begun: string;
}

/** Only administrators have one, and they begin elsewhere. */
type SignedIn = Omit<AccountCalls['POST /api/auth/login']['answer'], 'firstScreen'>;

/**
 * A sign-in that needs a code is refused with 401, `code` `second_factor` and a `challenge`, which
 * lasts ten minutes; with `second_factor_set_up` where an administrator must set one up first. A
 * wrong code is 400 with the path `code`; 400 without a path is a challenge that is over. A `code` is
 * one of the app, or a recovery code; each works once.
 */
export interface SecondFactorCalls {
  'POST /api/auth/second-factor': {
    body: { challenge: string; code: string } & KnownClient;
    answer: SignedIn;
  };
  'POST /api/auth/second-factor/begin': { body: { challenge: string }; answer: BegunSecondFactor };
  /** `recoveryCodes` are told this once. */
  'POST /api/auth/second-factor/confirm': {
    body: { challenge: string; begun: string; code: string } & KnownClient;
    answer: SignedIn & { recoveryCodes: string[] };
  };
  'GET /api/account/second-factor': { answer: SecondFactor };
  /**
   * 400 with the path `password` where it is missing, 403 where it is wrong. Who has none needs a
   * sign-in of the last ten minutes: 403 without a path.
   */
  'POST /api/account/second-factor/begin': {
    body: { password?: string };
    answer: BegunSecondFactor;
  };
  'POST /api/account/second-factor/confirm': {
    body: { begun: string; code: string };
    answer: { recoveryCodes: string[] };
  };
  /** New ones; those before end. */
  'POST /api/account/second-factor/recovery-codes': {
    body: { code: string };
    answer: { recoveryCodes: string[] };
  };
  'DELETE /api/account/second-factor': { body: { code: string }; answer: Message };
}
