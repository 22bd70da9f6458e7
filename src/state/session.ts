/** Who is signed in. The token is in local storage as `jwt_token`, base64-encoded (S3.12). */
import { computed, effect, signal, untracked } from '@preact/signals-react';
import { jwtDecode } from 'jwt-decode';
import { call, sessionAccess } from '../api/call';
import { ApiError } from '../api/error';
import type { ResponseOf, Claims } from '../shared/contract';
import { forgetSubscription, hasSubscription } from '../platform/push/subscription';
import { readStored, writeStored } from '../platform/storage/storage';
import { withLock } from '../platform/lock';
import { storeClockSkew, serverNow } from './clock';
import { storeSignInResponse } from './first-screen';

export const TOKEN_STORAGE_KEY = 'jwt_token';
/** The device token that this browser registered. Unregistering it needs no push code. */
export const DEVICE_STORAGE_KEY = 'device_token';
/** Milliseconds since 1970. */
export const DEVICE_SINCE_STORAGE_KEY = 'device_token_since';
/** An administrator's unsent message. */
export const DRAFT_STORAGE_KEY = 'message_draft';
/** A half-typed correction. */
export const CORRECTION_STORAGE_KEY = 'correction_draft';
/** A pending sleep test, and the id of its person. */
export const SLEEP_TEST_STORAGE_KEY = 'sleep_test';
/** Presses of a check-in also wait here: the offline data is deleted when a session expires. */
export const PRESSES_STORAGE_KEY = 'unsent_presses';
/** The browser token keeps strangers from using up sign-in attempts. It survives signing out. */
const BROWSER_TOKEN_STORAGE_KEY = 'client_token';

export const sessionToken = signal<string | null>(null);
const decodedToken = computed(() => decodeToken(sessionToken.value));
/** The claims are null while no one is signed in. */
export const sessionClaims = computed(() =>
  decodedToken.value.kind === 'valid' ? decodedToken.value.claims : null,
);
export const isSignedIn = computed(() => sessionClaims.value !== null);
export const isAdmin = computed(() => sessionClaims.value?.role === 'ADMIN');
/** After a deliberate sign-out, the next person does not return to the last person's page. */
export const signedOutOnPurpose = signal(false);
/** Why the session ended or a sign-in failed, for the login form. Empty if neither happened. */
export const signInError = signal('');
/** The username that just registered on this page, for the login form. */
export const registeredUsername = signal('');
effect(() => {
  if (!isSignedIn.value) return;
  signedOutOnPurpose.value = false; // another tab may have signed in
  signInError.value = registeredUsername.value = '';
});

function clearOnPersonChange(clear: () => void, outlivesSession: boolean): void {
  let person: number | undefined;
  effect(() => {
    const userId = sessionClaims.value?.id;
    if (userId === person || (outlivesSession && userId === undefined)) return;
    person = userId;
    untracked(clear);
  });
}
/** Clears a person's data when the session ends or another person signs in. */
export const onSessionEndOrPersonChange = (clear: () => void): void =>
  clearOnPersonChange(clear, false);
/** Clears a person's data when another person signs in: the data outlives an expired session. */
export const onPersonChange = (clear: () => void): void => clearOnPersonChange(clear, true);

/** False if the browser stores nothing: the session then ends with the page. */
export const isStorageWorking = signal(true);

type DecodedToken =
  | { kind: 'none' }
  | { kind: 'invalid'; why: string }
  | { kind: 'valid'; claims: Claims };

/** Checks everything but the signature, which only the server can verify. */
function decodeToken(text: string | null): DecodedToken {
  if (!text) return { kind: 'none' };
  let payload: Partial<Claims>;
  try {
    payload = Object(jwtDecode<Claims>(text)) as Partial<Claims>;
  } catch {
    return { kind: 'invalid', why: 'it cannot be decoded' };
  }
  if (payload.type !== undefined && payload.type !== 'access')
    return { kind: 'invalid', why: 'its type is not “access”' };
  if (typeof payload.exp !== 'number' || payload.exp * 1000 <= serverNow())
    return { kind: 'invalid', why: 'it has expired' };
  return { kind: 'valid', claims: payload as Claims };
}

/** Reads the stored token again. */
export function loadSession(): void {
  const storedToken = readStored(TOKEN_STORAGE_KEY);
  let text: string | null = null;
  try {
    text = storedToken && atob(storedToken);
  } catch {
    text = '?'; // it cannot be decoded either
  }
  const nextSession = decodeToken(text);
  // Another person starts clean. Another token of the same person renews the session.
  if (nextSession.kind !== 'valid' || nextSession.claims.id !== sessionClaims.value?.id)
    sessionToken.value = null;
  sessionToken.value = text;
}

/** Ends the session. `reason` goes to the log (never the token), `message` to the person. */
export function discardSession(
  reason: string,
  message = 'Your session has ended. Sign in to continue.',
): void {
  console.warn(`Signed out: the login token is not valid, ${reason}.`);
  signInError.value = message;
  removeToken();
}

function removeToken(): void {
  writeStored(TOKEN_STORAGE_KEY, null);
  sessionToken.value = null;
}

/** Call once, before anything is shown. */
export function restoreSession(): void {
  sessionAccess.token = () => sessionToken.value;
  sessionAccess.person = () => sessionClaims.value?.id;
  sessionAccess.rejected = (rejected, reason) => {
    if (sessionToken.value !== rejected) return;
    if (reason === 'signed_out') deletePersonalData();
    else discardSession('the server rejected it');
  };
  loadSession();
  effect(() => {
    if (decodedToken.value.kind === 'invalid') discardSession(decodedToken.value.why);
  });
}

/** The value is cut: a corrupt one must not block signing in. */
export const readBrowserToken = () => readStored(BROWSER_TOKEN_STORAGE_KEY)?.slice(0, 22);
export const storeBrowserToken = ({ clientToken }: { clientToken?: string | null | undefined }) =>
  clientToken && writeStored(BROWSER_TOKEN_STORAGE_KEY, clientToken);

export const SIGN_IN_FAILED = 'Login failed. Please try again.';

/**
 * Signs in. Unregisters the previous device, then stores the token.
 * @param signInResponse the response to a sign-in without a password
 * @throws {ApiError} with the sentence to show
 */
export async function signIn(
  username: string,
  password: string,
  signInResponse?: Promise<Omit<ResponseOf<'POST /api/auth/login'>, 'user'>>,
): Promise<void> {
  signInError.value = '';
  const [response, hasDevice] = await Promise.all([
    signInResponse ??
      call('POST /api/auth/login', {
        body: { username, password, clientToken: readBrowserToken() },
        fallback: SIGN_IN_FAILED,
      }),
    // The check runs in parallel with the call: most people have no device to unregister.
    withLock(DEVICE_STORAGE_KEY, isDeviceRegistered, DEVICE_LOCK_WAIT_MS),
  ]);
  storeBrowserToken(response);
  storeClockSkew(response.token);
  if (decodeToken(response.token).kind !== 'valid') throw new ApiError('garbled', SIGN_IN_FAILED);
  if (hasDevice) await unregisterDevice(true);
  isStorageWorking.value = writeStored(TOKEN_STORAGE_KEY, btoa(response.token));
  storeSignInResponse(response);
  sessionToken.value = response.token;
}

/** Unregisters the device while the token is still valid, then removes the token. */
export async function signOut(): Promise<void> {
  await unregisterDevice(true);
  signedOutOnPurpose.value = true;
  writeStored(CORRECTION_STORAGE_KEY, null);
  removeToken();
}

const SIGNED_OUT_ELSEWHERE = 'This device was signed out.';

/**
 * The person signed this device out from another one, perhaps because this one is lost.
 * `state/subscriptions/load-topics.ts` deletes received messages without a device token.
 */
function deletePersonalData(): void {
  writeStored(DEVICE_STORAGE_KEY, null);
  writeStored(DRAFT_STORAGE_KEY, null);
  writeStored(CORRECTION_STORAGE_KEY, null);
  writeStored(SLEEP_TEST_STORAGE_KEY, null);
  discardSession(SIGNED_OUT_ELSEWHERE, SIGNED_OUT_ELSEWHERE);
  void unregisterDevice();
}

/** Signing in or out waits this long for another tab that registers the device. */
const DEVICE_LOCK_WAIT_MS = 3000;

/** Whether this browser may still receive pushes. */
const isDeviceRegistered = async (): Promise<boolean> =>
  readStored(DEVICE_STORAGE_KEY) !== null || hasSubscription().catch(() => true);

/** Failures are only logged: the server removes an unreachable device at the next send. */
const unregisterDevice = (closesUnsent?: boolean): Promise<unknown> =>
  // A tab that is registering the device would otherwise finish after the sign-out. The wait is
  // short, because that tab may hang.
  withLock(
    DEVICE_STORAGE_KEY,
    () => {
      const deviceToken = readStored(DEVICE_STORAGE_KEY);
      writeStored(DEVICE_STORAGE_KEY, null);
      writeStored(DEVICE_SINCE_STORAGE_KEY, null);
      return Promise.all([
        deviceToken && sessionToken.value && unregisterToken(deviceToken),
        forgetSubscription(closesUnsent).catch((error: unknown) =>
          console.warn('The push subscription could not be canceled', error),
        ),
      ]);
    },
    DEVICE_LOCK_WAIT_MS,
  );

/** Resolves with a failure, which is only logged: the next send finds that the device is gone. */
export const unregisterToken = (
  deviceToken: string,
  reason?: 'blocked',
): Promise<{ code?: ApiError['code'] }> =>
  call('DELETE /api/notifications/unregister-device', {
    body: { deviceToken, reason },
    fallback: 'Failed to report to the server.',
    limit: 3000,
  }).then(
    () => ({}),
    (error: ApiError) => {
      console.warn('The device could not be unregistered', error);
      return error;
    },
  );
