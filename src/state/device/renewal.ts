// Renews the token of a person who uses the app (S10.40). An administrator's session always ends
// twelve hours after the sign-in.
import { call, session } from '../../api/call';
import { sessionToken } from '../../shared/contract/sign-in' with { type: 'example' };
import { onReturn } from '../../platform/network';
import { writeStored } from '../../platform/storage/storage';
import { noteSkew, now } from '../clock';
import { claims, isAdmin, token, TOKEN } from '../session';

const DAY_MS = 24 * 60 * 60_000;
/** A token lasts 30 days: one from today is new enough. */
const ENOUGH_MS = 29 * DAY_MS;
/** Minimum time between attempts: a server may not support renewal. */
const PAUSE_MS = 60 * 60_000;

let tried: { token: string | null; at: number } | undefined;

/** Never rejects; a failure is retried later. */
export async function renewToken(): Promise<void> {
  const ends = claims.peek()?.exp;
  if (ends === undefined || isAdmin.peek() || ends * 1000 - now() > ENOUGH_MS) return;
  const before = session.token();
  if (tried?.token === before && Math.abs(Date.now() - tried.at) < PAUSE_MS) return;
  tried = { token: before, at: Date.now() };
  try {
    const answer = await call('POST /api/auth/refresh', {
      fallback: 'The session was not renewed.',
      like: sessionToken,
    });
    noteSkew(answer.token); // the clock may have been set since the sign-in
    writeStored(TOKEN, btoa(answer.token));
    token.value = answer.token;
  } catch (error) {
    console.info('The session was not renewed', error);
  }
}
onReturn(() => void renewToken());
