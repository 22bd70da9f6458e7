/** The signed-in person's account, as the server last reported it, and its changes. */
import { computed } from '@preact/signals-react';
import { call, sessionAccess } from '../../api/call';
import type { ApiError } from '../../api/error';
import type { ExampleSchema } from '../../api/matches-example';
import { ownAccountSchema } from '../../shared/contract/own-account' with { type: 'example' };
import { sessionTokenSchema } from '../../shared/contract/sign-in' with { type: 'example' };
import { writeStored } from '../../platform/storage/storage';
import type { AccountExport, OwnAccount } from '../../shared/contract';
import { storeClockSkew } from '../clock';
import { latestOnly } from '../latest-only';
import { personalSignal } from '../personal-signal';
import { signOut, TOKEN_STORAGE_KEY, sessionToken } from '../session';

const ACCOUNT_FAILED = 'Failed to load your account.';
export const PASSWORD_CHANGE_FAILED = 'Failed to change your password.';
export const EMAIL_CHANGE_FAILED = 'Failed to send the link.';
export const SIGN_OUT_EVERYWHERE_FAILED = 'Failed to sign you out everywhere.';
export const ACCOUNT_DOWNLOAD_FAILED = 'Failed to download your data.';
/** A long response on a slow network. */
const DOWNLOAD_TIMEOUT_MS = 120_000;

/** The value is null until the account is loaded. */
export const ownAccount = personalSignal<OwnAccount | null>(null);
export const ownAccountError = personalSignal('');

const startRequest = latestOnly();

/** The promise never rejects. */
export async function loadAccount(): Promise<void> {
  const isLatest = startRequest();
  try {
    const loadedAccount = await call('GET /api/account', {
      fallback: ACCOUNT_FAILED,
      like: ownAccountSchema,
    });
    if (isLatest()) applyAccount(loadedAccount);
  } catch (error) {
    if (isLatest()) ownAccountError.value = (error as ApiError).message;
  }
}

function applyAccount(loadedAccount: OwnAccount): void {
  startRequest();
  ownAccount.value = loadedAccount;
  ownAccountError.value = '';
}

/** A 401 in the meantime belongs to the old token and counts only if no new token comes. */
async function replaceToken(requestToken: () => Promise<{ token: string }>): Promise<void> {
  const { rejected } = sessionAccess;
  const laterRejections: Parameters<typeof rejected>[] = [];
  sessionAccess.rejected = (...rejection) => void laterRejections.push(rejection);
  try {
    const response = await requestToken();
    storeClockSkew(response.token);
    writeStored(TOKEN_STORAGE_KEY, btoa(response.token));
    sessionToken.value = response.token;
  } finally {
    sessionAccess.rejected = rejected;
    for (const rejection of laterRejections) rejected(...rejection);
  }
}

/**
 * Ends all other sessions.
 * @throws {ApiError}
 */
export const changePassword = (current: string, password: string): Promise<void> =>
  replaceToken(() =>
    call('PUT /api/account/password', {
      body: { current, password },
      fallback: PASSWORD_CHANGE_FAILED,
      like: sessionTokenSchema,
    }),
  );

/** False if the person signs in only through the company. True until the server says otherwise. */
export const hasPassword = computed(() => ownAccount.value?.hasPassword !== false);

/**
 * Requests a confirmation link for the new address.
 * @throws {ApiError}
 */
export async function changeEmail(email: string, password: string | undefined): Promise<void> {
  applyAccount(
    await call('PUT /api/account/email', {
      body: password === undefined ? { email } : { email, password },
      fallback: EMAIL_CHANGE_FAILED,
      like: ownAccountSchema,
    }),
  );
}

/**
 * Signs out everywhere, including this device.
 * @throws {ApiError}
 */
export async function signOutEverywhere(): Promise<void> {
  await replaceToken(() =>
    call('POST /api/account/sign-out-everywhere', {
      fallback: SIGN_OUT_EVERYWHERE_FAILED,
      like: sessionTokenSchema,
    }),
  );
  await signOut();
}

/**
 * Everything stored about this person, as a file.
 * @throws {ApiError}
 */
export async function readExport(): Promise<Blob> {
  const exportedData = await call('GET /api/account/export', {
    fallback: ACCOUNT_DOWNLOAD_FAILED,
    like: { account: { id: 0 } } as unknown as ExampleSchema<AccountExport>,
    limit: DOWNLOAD_TIMEOUT_MS,
  });
  return new Blob([`${JSON.stringify(exportedData, null, 2)}\n`], { type: 'application/json' });
}
