/**
 * How a session ends by itself: on time, with a warning before, or because another tab ended it.
 */
import { effect } from '@preact/signals-react';
import { watchStored } from '../platform/storage/storage';
import { endsSoon } from './ends-soon';
import { now } from './clock';
import { claims, discardSession, loadSession, TOKEN } from './session';

/**
 * So long before the token ends the person is told (S9.18).
 */
const LEAD_MS = 5 * 60_000;
/** Timers take no more than this. */
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

/**
 * Acts once the server's clock shows `time`, however far away that is. Returns how to call it off.
 */
function at(time: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const arm = () => {
    const left = time - now();
    timer = left > MAX_TIMER_MS ? setTimeout(arm, MAX_TIMER_MS) : setTimeout(act, left);
  };
  arm();
  return () => clearTimeout(timer);
}
