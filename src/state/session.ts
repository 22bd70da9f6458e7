/**
 * Who is signed in. The token lives in local storage under `jwt_token`, base64-encoded
 * (S3.12).
 */
import { computed, effect, signal, untracked } from '@preact/signals-react';
import { jwtDecode } from 'jwt-decode';
import { call, session } from '../api/call';
import { ApiError } from '../api/error';
import type { Answer, Claims } from '../shared/contract';
import { forgetSubscription, hasSubscription } from '../platform/push/subscription';
import { readStored, writeStored } from '../platform/storage/storage';
import { withLock } from '../platform/lock';
import { noteSkew, now } from './clock';
import { bring } from './first-screen';

export const TOKEN = 'jwt_token';
/**
 * The device token that this browser registered, so that it can be unregistered without loading any
 * push code.
 */
export const DEVICE = 'device_token';
/** When that was, in milliseconds since 1970. */
export const DEVICE_SINCE = 'device_token_since';
/** What an administrator was writing. */
export const DRAFT = 'message_draft';
/** A test of this device while it sleeps, and whose it is. */
export const SLEEP = 'sleep_test';
/**
 * By which the server knows this browser, so that no stranger uses up its attempts to sign in. It
 * names no one, stays after signing out, and serves each person who signs in here.
 */
const CLIENT = 'client_token';

export const token = signal<string | null>(null);
const decoded = computed(() => decode(token.value));
/** The signed-in person, or null. */
export const claims = computed(() => (decoded.value.is === 'valid' ? decoded.value.claims : null));
export const signedIn = computed(() => claims.value !== null);
export const isAdmin = computed(() => claims.value?.role === 'ADMIN');
/** True after a sign-out on purpose: the next person does not land where this one was. */
export const leftOnPurpose = signal(false);
/** How a session ended otherwise, as the login form says it; else empty. */
export const sessionEndReason = signal('');
/** The name of who registered on this page, for the login form. */
export const registered = signal('');
effect(() => {
  if (!signedIn.value) return;
  leftOnPurpose.value = false; // wherever it was signed in: perhaps in another tab
  sessionEndReason.value = registered.value = '';
});

function onPerson(clear: () => void, outlivesSession: boolean): void {
  let person: number | undefined;
  effect(() => {
    const present = claims.value?.id;
    if (present === person || (outlivesSession && present === undefined)) return;
    person = present;
    untracked(clear);
  });
}
/** Forgets something of a person once the session is over, or another person’s. */
export const onOtherPerson = (clear: () => void): void => onPerson(clear, false);
/** Forgets something that outlives a session which ends by itself once the next person signs in. */
export const onNextPerson = (clear: () => void): void => onPerson(clear, true);

/** False when the browser keeps nothing: the session then ends with the page. */
export const storageWorks = signal(true);

type Decoded = { is: 'none' } | { is: 'invalid'; why: string } | { is: 'valid'; claims: Claims };

/** Decodes a login token. Its signature is the server's business. */
function decode(text: string | null): Decoded {
  if (!text) return { is: 'none' };
  let payload: Partial<Claims>;
  try {
    payload = Object(jwtDecode<Claims>(text)) as Partial<Claims>;
  } catch {
    return { is: 'invalid', why: 'it cannot be decoded' };
  }
  if (payload.type !== undefined && payload.type !== 'access')
    return { is: 'invalid', why: 'its type is not access' };
  if (typeof payload.exp !== 'number' || payload.exp * 1000 <= now())
    return { is: 'invalid', why: 'it has expired' };
  return { is: 'valid', claims: payload as Claims };
}

/** Takes the token over from storage, as it is there now. */
export function loadSession(): void {
  const encoded = readStored(TOKEN);
  let text: string | null = null;
  try {
    text = encoded && atob(encoded);
  } catch {
    discardSession('it is not base64');
    return;
  }
  const next = decode(text);
  // Nothing of one session is seen in the next. Another token of the same person renews it.
  if (next.is !== 'valid' || next.claims.id !== claims.value?.id) token.value = null;
  token.value = text;
}

/** Gives the session up: `why` goes to the log, never the token, and `said` to the person. */
export function discardSession(
  why: string,
  said = 'Your session has ended. Log in to go on.',
): void {
  console.warn(`Signed out: the login token is not valid, ${why}.`);
  sessionEndReason.value = said;
  forget();
}

function forget(): void {
  writeStored(TOKEN, null);
  token.value = null;
}

/** Takes up the stored session. Call once, before anything is shown. */
export function restoreSession(): void {
  session.token = () => token.value;
  session.person = () => claims.value?.id;
  session.rejected = (rejected, why) => {
    if (token.value !== rejected) return;
    if (why === 'signed_out') forgetHere();
    else discardSession('the server rejected it');
  };
  loadSession();
  effect(() => {
    if (decoded.value.is === 'invalid') discardSession(decoded.value.why);
  });
}

/** Cut, as whatever lies there must not keep anybody from signing in. */
export const client = () => readStored(CLIENT)?.slice(0, 22);
/** Keeps what an answer says of this browser. */
export const keepClient = ({ clientToken }: { clientToken?: string | null | undefined }) =>
  clientToken && writeStored(CLIENT, clientToken);

export const SIGN_IN_FAILED = 'Login failed. Please try again.';

/**
 * Signs in. The device that was registered before is unregistered first, then the token is stored.
 * @param given what the server answers to something else than a password
 * @throws {ApiError} with the sentence to show
 */
export async function signIn(
  username: string,
  password: string,
  given?: Promise<Omit<Answer<'POST /api/auth/login'>, 'user'>>,
): Promise<void> {
  sessionEndReason.value = '';
  const [answer, hasDevice] = await Promise.all([
    (COMPANY || SECOND_FACTOR) && given
      ? given
      : call('POST /api/auth/login', {
          body: { username, password, clientToken: client() },
          fallback: SIGN_IN_FAILED,
        }),
    // Meanwhile: afterwards everybody would wait for it, and most have nothing to leave.
    withLock(DEVICE, isRegistered, TURN_MS),
  ]);
  keepClient(answer);
  noteSkew(answer.token);
  if (decode(answer.token).is !== 'valid') throw new ApiError('garbled', SIGN_IN_FAILED);
  if (hasDevice) await leaveDevice();
  storageWorks.value = writeStored(TOKEN, btoa(answer.token));
  bring(answer);
  token.value = answer.token;
}

/**
 * Signs out: the device is unregistered while the token still counts, then token and user are gone.
 */
export async function signOut(): Promise<void> {
  await leaveDevice();
  leftOnPurpose.value = true;
  forget();
}

const SIGNED_OUT = 'This device was signed out.';

/**
 * This device was signed out elsewhere, perhaps because it is lost: what is kept of the person goes.
 * Without a device token that is also what was received (`state/subscriptions/load`).
 */
function forgetHere(): void {
  writeStored(DEVICE, null);
  writeStored(DRAFT, null);
  writeStored(SLEEP, null);
  discardSession(SIGNED_OUT, SIGNED_OUT);
  void leaveDevice();
}

/**
 * Neither leaving nor signing in takes longer than this, in milliseconds, for what another tab
 * does.
 */
const TURN_MS = 3000;

/** Whether anything may still be delivered to this browser. */
const isRegistered = async (): Promise<boolean> =>
  readStored(DEVICE) !== null || hasSubscription().catch(() => true);

/**
 * Makes this browser receive nothing more. Whatever fails is logged and does not hold the person
 * up: without its browser-side subscription the device is unreachable, and the server removes it at
 * the next send.
 */
const leaveDevice = (): Promise<unknown> =>
  // Not while a tab registers it, or it would be registered after all; nor for long, since that may
  // hang.
  withLock(
    DEVICE,
    () => {
      const deviceToken = readStored(DEVICE);
      writeStored(DEVICE, null);
      writeStored(DEVICE_SINCE, null);
      return Promise.all([
        deviceToken && token.value && unregister(deviceToken),
        forgetSubscription().catch((error: unknown) =>
          console.warn('The push subscription could not be ended', error),
        ),
      ]);
    },
    TURN_MS,
  );

/**
 * Tells the server to forget a device. A failure is only logged: the next send finds the device
 * gone. Resolves with the failure, if there was one.
 */
export const unregister = (
  deviceToken: string,
  reason?: 'blocked',
): Promise<{ code?: ApiError['code'] }> =>
  call('DELETE /api/notifications/unregister-device', {
    body: { deviceToken, reason },
    fallback: 'The server was not told.',
    limit: 3000,
  }).then(
    () => ({}),
    (error: ApiError) => {
      console.warn('The device could not be unregistered', error);
      return error;
    },
  );
