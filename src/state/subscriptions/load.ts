/** Loads the topics that an administrator subscribed this person to, and the switch of each. */
import { computed, effect, signal } from '@preact/signals-react';
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { fits } from '../../api/fits';
import {
  firstScreen,
  subscriptions as subscriptionList,
} from '../../shared/contract/subscriptions' with { type: 'example' };
import { clearReceived } from '../../platform/storage/database';
import { onReturn } from '../../platform/network';
import { soon } from '../../platform/pause';
import { readStored } from '../../platform/storage/storage';
import type { Subscription } from '../../shared/contract';
import { permission } from '../device/permission';
import { device, registrationError } from '../device/registration';
import { takeFirstScreen } from '../first-screen';
import { latestOnly } from '../latest';
import { claims, DEVICE, signedIn } from '../session';
import { clearKeptTopics, readKeptTopics, savedTopics, showTopics, takeTopics } from './offline';
import { byTopic, clearWishes, readPreferences, recheck, switching } from './switches';

/**
 * So often a server that could not be reached is asked again: a phone does not always notice that
 * it could be.
 */
const RETRY_MS = 10_000;
/**
 * An administrator may have changed older data since: it is asked for anew where that costs
 * nothing.
 */
const FRESH_MS = 60_000;

export type Loading = { is: 'idle' | 'loading' | 'ready' } | { is: 'failed'; message: string };

export const topicsLoading = signal<Loading>({ is: 'idle' });
/** Whether there is something to be seen, if only what this phone has kept, or why there is not. */
export const shown = computed(
  () =>
    savedTopics.value.length > 0 ||
    topicsLoading.value.is === 'ready' ||
    topicsLoading.value.is === 'failed',
);
/**
 * While the server cannot be reached: when it was last asked what is shown (milliseconds since
 * 1970). Else null.
 */
export const topicsShownAsOf = signal<number | null>(null);
/**
 * Why this device cannot be reached although the person allows it; empty if it can, and without a
 * network, when that is no news.
 */
export const unreachable = computed(() =>
  topicsShownAsOf.value === null && permission.value === 'granted' ? registrationError.value : '',
);
const ask = latestOnly();
let again: ReturnType<typeof setTimeout>;

effect(() => {
  if (signedIn.value) return;
  ask();
  clearTimeout(again);
  clearWishes();
  topicsLoading.value = { is: 'idle' };
  topicsShownAsOf.value = null;
  clearKeptTopics();
  // A device that is registered goes on being notified after a session ran out, and tells so.
  if (!readStored(DEVICE)) void clearReceived();
});

/** When that began. */
let asked = 0;
/** The sign-in has just told all of it: the screen that is drawn with it need not ask. */
let justTold = false;

/**
 * Loads the topics and their switches side by side. What was shown before, or at the last visit,
 * stays until the answer is there, and for as long as there is none.
 * @param quiet no person asked for it: a failure is tried again before it is said or shown, as a
 *   phone that wakes up may need a moment to be connected
 * @param onRead of a first screen that is not drawn yet: told whether what this phone has kept is
 *   shown. The server is asked when that resolves.
 */
export async function loadTopics(
  quiet = false,
  onRead?: (isKept: boolean) => Promise<void> | void,
): Promise<void> {
  const person = claims.value?.id;
  if (person === undefined || justTold) return;
  const isLatest = ask();
  const known = device.value;
  asked = Date.now();
  clearTimeout(again);
  const told = takeFirstScreen();
  if (told && fits(told, firstScreen)) {
    arrive(told.subscriptions, byTopic(told.preferences)); // before anything is drawn
    justTold = true;
    setTimeout(() => (justTold = false));
    return onRead?.(false);
  }
  if (topicsLoading.value.is !== 'ready') topicsLoading.value = { is: 'loading' };
  const kept = readKeptTopics(person).then((old) => {
    if (old && topicsLoading.value.is === 'loading' && isLatest()) showTopics(old);
    return old;
  });
  if (onRead) await onRead(!!(await soon(kept))); // though something else has asked meanwhile
  if (!isLatest()) return;
  const answers = Promise.all([
    readSubscriptions(),
    readPreferences().catch(quiet ? undefined : allDisabled),
  ]);
  try {
    const [subscriptions, settings] = await answers;
    if (!isLatest()) return;
    arrive(subscriptions, settings);
    if (device.value !== known) void recheck(); // these were the settings of another
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'stale') return;
    const old = await kept;
    if (!isLatest()) return;
    if (quiet) again = setTimeout(() => void loadTopics(), RETRY_MS);
    else if (old && error.code === 'unreachable') {
      topicsLoading.value = { is: 'ready' };
      topicsShownAsOf.value = old.time;
      again = setTimeout(() => void loadTopics(), RETRY_MS);
    } else {
      topicsShownAsOf.value = null;
      topicsLoading.value = {
        is: 'failed',
        message: `Failed to load subscriptions: ${error.message}`,
      };
    }
  }
}

/** How often it has. */
let arrivals = 0;

/** The server has told. */
function arrive(...told: Parameters<typeof takeTopics>): void {
  arrivals++;
  takeTopics(...told);
  topicsLoading.value = { is: 'ready' };
  topicsShownAsOf.value = null;
}

/** Asks anew, with nothing to be seen of it. Resolves with whether the server has told. */
export async function rereadTopics(): Promise<boolean> {
  const before = arrivals;
  await loadTopics(true);
  return arrivals !== before;
}

/**
 * Asks anew, with nothing to be seen of it, if what is shown is old and no switch is just being
 * changed.
 */
export function refreshTopics(): void {
  if (topicsLoading.peek().is === 'ready' && !switching() && Date.now() - asked > FRESH_MS)
    void loadTopics(true);
}
onReturn(refreshTopics);

async function readSubscriptions(): Promise<Subscription[]> {
  const options = { fallback: 'the server could not be reached.', like: subscriptionList };
  try {
    return await call('GET /api/notifications/my-subscriptions', options);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      return call('GET /notifications/subscriptions', options);
    throw error;
  }
}

/** Without preferences, all topics count as disabled (S7.10). */
function allDisabled(error: unknown): null {
  console.warn('Preferences could not be read: all topics are shown as disabled', error);
  return null;
}

// Once the device is known, its own settings are the ones that count.
effect(() => {
  if (device.value && topicsLoading.peek().is === 'ready') void recheck();
});
