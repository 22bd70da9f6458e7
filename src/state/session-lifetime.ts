// A session is renewed while the person uses the app (S10.40). It ends when it expires, after a
// warning, or when another tab ends it. An administrator's session always ends after twelve hours.
import { effect } from '@preact/signals-react';
import { call, sessionAccess } from '../api/call';
import { onReturn } from '../platform/network';
import { watchStored, writeStored } from '../platform/storage/storage';
import { sessionTokenSchema } from '../shared/contract/sign-in' with { type: 'example' };
import { storeClockSkew, serverNow } from './clock';
import { storeLanguage } from './language-at-sign-in';
import { applyRights } from './rights';
import { sessionEndsSoon } from './session-ends-soon';
import {
  sessionClaims,
  discardSession,
  isAdmin,
  loadSession,
  sessionToken,
  TOKEN_STORAGE_KEY,
} from './session';

/** When to warn before the token expires (S9.18). */
const ENDING_NOTICE_LEAD_MS = 5 * 60_000;
/** The maximum of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

watchStored(TOKEN_STORAGE_KEY, loadSession);

effect(() => {
  sessionEndsSoon.value = false;
  if (!sessionClaims.value) return;
  const endTime = sessionClaims.value.exp * 1000;
  const timedCalls = [
    callAt(endTime - ENDING_NOTICE_LEAD_MS, () => {
      console.info('The login token ends in 5 minutes. Token refresh is not implemented.');
      sessionEndsSoon.value = true;
    }),
    callAt(endTime, () => discardSession('it has expired')),
  ];
  return () => timedCalls.forEach((cancelCall) => cancelCall());
});

/** Runs `callback` when the server's clock shows `time`, however far away. Returns how to cancel. */
function callAt(time: number, callback: () => void): () => void {
  let callTimer: ReturnType<typeof setTimeout>;
  const armTimer = () => {
    const remainingMs = time - serverNow();
    callTimer =
      remainingMs > MAX_TIMER_MS
        ? setTimeout(armTimer, MAX_TIMER_MS)
        : setTimeout(callback, remainingMs);
  };
  armTimer();
  return () => clearTimeout(callTimer);
}

const DAY_MS = 24 * 60 * 60_000;
/** A token lasts 30 days: one from today is new enough. */
const MAX_FRESH_LIFETIME_MS = 29 * DAY_MS;
/** Minimum time between attempts: a server may not support renewal. */
const MIN_RENEWAL_INTERVAL_MS = 60 * 60_000;

let lastAttempt: { token: string | null; callAt: number } | undefined;

/** The promise never rejects; the app retries later. */
export async function renewToken(): Promise<void> {
  const endTime = sessionClaims.peek()?.exp;
  if (
    endTime === undefined ||
    isAdmin.peek() ||
    endTime * 1000 - serverNow() > MAX_FRESH_LIFETIME_MS
  )
    return;
  const formerToken = sessionAccess.token();
  if (
    lastAttempt?.token === formerToken &&
    Math.abs(Date.now() - lastAttempt.callAt) < MIN_RENEWAL_INTERVAL_MS
  )
    return;
  lastAttempt = { token: formerToken, callAt: Date.now() };
  try {
    const response = await call('POST /api/auth/refresh', {
      fallback: 'The session was not renewed.',
      like: sessionTokenSchema,
    });
    storeClockSkew(response.token); // the clock may have been set since the sign-in
    writeStored(TOKEN_STORAGE_KEY, btoa(response.token));
    sessionToken.value = response.token;
    applyRights(response);
    storeLanguage(response.language);
  } catch (error) {
    console.info('The session was not renewed', error);
  }
}
onReturn(() => void renewToken());
