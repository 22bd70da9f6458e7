/** Ends a session on time, after a warning, or when another tab ended it. */
import { effect } from '@preact/signals-react';
import { watchStored } from '../platform/storage/storage';
import { endsSoon } from './ends-soon';
import { now } from './clock';
import { claims, discardSession, loadSession, TOKEN } from './session';

/** When to warn before the token expires (S9.18). */
const LEAD_MS = 5 * 60_000;
/** The maximum of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

watchStored(TOKEN, loadSession);

effect(() => {
  endsSoon.value = false;
  if (!claims.value) return;
  const ends = claims.value.exp * 1000;
  const calls = [
    at(ends - LEAD_MS, () => {
      console.info('The login token ends in 5 minutes. Token refresh is not implemented.');
      endsSoon.value = true;
    }),
    at(ends, () => discardSession('it has expired')),
  ];
  return () => calls.forEach((callOff) => callOff());
});

/** Runs `act` when the server's clock shows `time`, however far away. Returns how to cancel. */
function at(time: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const arm = () => {
    const left = time - now();
    timer = left > MAX_TIMER_MS ? setTimeout(arm, MAX_TIMER_MS) : setTimeout(act, left);
  };
  arm();
  return () => clearTimeout(timer);
}
