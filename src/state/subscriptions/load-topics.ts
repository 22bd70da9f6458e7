/** Loads the person's topics and their switches. */
import { computed, effect, signal } from '@preact/signals-react';
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { matchesExample } from '../../api/matches-example';
import {
  firstScreenSchema,
  subscriptionsSchema as subscriptionList,
} from '../../shared/contract/subscriptions' with { type: 'example' };
import { clearAllButAnswers, clearReceived } from '../../platform/storage/database';
import { onReturn } from '../../platform/network';
import { valueIfSoon } from '../../platform/pause';
import { readStored } from '../../platform/storage/storage';
import { CHECK_IN_PAGE } from '../../shared/check-in-page';
import type { Subscription } from '../../shared/contract';
import { notificationPermission } from '../device/permission';
import { currentDevice, registrationError } from '../device/registration';
import { consumeSignInResponse } from '../first-screen';
import { latestOnly } from '../latest-only';
import { applyRights } from '../rights';
import { sessionClaims, DEVICE_STORAGE_KEY, isSignedIn, signedOutOnPurpose } from '../session';
import {
  clearCachedTopics,
  readCachedTopics,
  savedTopics,
  showTopics,
  applyTopics,
} from './cached-topics';
import {
  preferencesByTopic,
  clearPending,
  readPreferences,
  rereadSwitches,
  isSwitching,
} from './topic-switches';

/** How often to retry an unreachable server: a phone does not always notice its connection. */
const RETRY_DELAY_MS = 10_000;
/** An administrator may have changed older data, so it is read again where that is free. */
const MAX_FRESH_AGE_MS = 60_000;

export type TopicsLoading =
  | { kind: 'idle' | 'loading' | 'ready' }
  | { kind: 'failed'; message: string };

export const topicsLoading = signal<TopicsLoading>({ kind: 'idle' });
/** Whether the screen can show topics, stored topics, or the reason for a failure. */
export const areTopicsShown = computed(
  () =>
    savedTopics.value.length > 0 ||
    topicsLoading.value.kind === 'ready' ||
    topicsLoading.value.kind === 'failed',
);
/** When the shown data was read (ms since 1970) while the server is unreachable; else null. */
export const topicsShownAsOf = signal<number | null>(null);
/** Why an allowed device is not reachable. Empty if it is reachable, and offline. */
export const unreachableReason = computed(() =>
  topicsShownAsOf.value === null && notificationPermission.value === 'granted'
    ? registrationError.value
    : '',
);
const startLoad = latestOnly();
let retryTimer: ReturnType<typeof setTimeout>;

effect(() => {
  if (isSignedIn.value) return;
  startLoad();
  clearTimeout(retryTimer);
  clearPending();
  topicsLoading.value = { kind: 'idle' };
  topicsShownAsOf.value = null;
  clearCachedTopics();
  // A device that stays registered after its session expired still receives and reports.
  if (!readStored(DEVICE_STORAGE_KEY))
    void (signedOutOnPurpose.peek() ? clearReceived() : clearAllButAnswers(CHECK_IN_PAGE));
});

let requestedAt = 0;
/** Whether the sign-in has just delivered the data, so that the screen does not load it again. */
let wasJustAnnounced = false;

/**
 * Loads topics and switches. What was shown or kept stays until the response is there.
 * @param isInBackground in the background: retry once before reporting, as a waking phone may not be connected
 * yet
 * @param onRead for the first screen: called with whether kept topics are shown; awaited first
 */
export async function loadTopics(
  isInBackground = false,
  onRead?: (isKept: boolean) => Promise<void> | void,
): Promise<void> {
  const person = sessionClaims.value?.id;
  if (person === undefined || wasJustAnnounced) return;
  const isLatest = startLoad();
  const knownDevice = currentDevice.value;
  requestedAt = Date.now();
  clearTimeout(retryTimer);
  const response = consumeSignInResponse();
  if (response) applyRights(response);
  const topics = response?.firstScreen;
  if (topics && matchesExample(topics, firstScreenSchema)) {
    // The first screen must not be drawn without the topics.
    applyResponses(topics.subscriptions, preferencesByTopic(topics.preferences));
    wasJustAnnounced = true;
    setTimeout(() => (wasJustAnnounced = false));
    return onRead?.(false);
  }
  if (topicsLoading.value.kind !== 'ready') topicsLoading.value = { kind: 'loading' };
  const cachedTopics = readCachedTopics(person).then((old) => {
    if (old && topicsLoading.value.kind === 'loading' && isLatest()) showTopics(old);
    return old;
  });
  if (onRead) await onRead(!!(await valueIfSoon(cachedTopics))); // though something else has asked meanwhile
  if (!isLatest()) return;
  const responses = Promise.all([
    readSubscriptions(),
    readPreferences().catch(isInBackground ? undefined : allDisabled),
  ]);
  try {
    const [subscriptions, settings] = await responses;
    if (!isLatest()) return;
    applyResponses(subscriptions, settings);
    if (currentDevice.value !== knownDevice) void rereadSwitches(); // for the new device
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'stale') return;
    const cachedTopicsRow = await cachedTopics;
    if (!isLatest()) return;
    if (isInBackground) retryTimer = setTimeout(() => void loadTopics(), RETRY_DELAY_MS);
    else if (cachedTopicsRow && error.code === 'unreachable') {
      topicsLoading.value = { kind: 'ready' };
      topicsShownAsOf.value = cachedTopicsRow.time;
      retryTimer = setTimeout(() => void loadTopics(), RETRY_DELAY_MS);
    } else {
      topicsShownAsOf.value = null;
      topicsLoading.value = {
        kind: 'failed',
        message: `Failed to load subscriptions: ${error.message}`,
      };
    }
  }
}

/** Counts the server's responses. */
export const topicsResponses = signal(0);

function applyResponses(...topics: Parameters<typeof applyTopics>): void {
  applyTopics(...topics);
  topicsLoading.value = { kind: 'ready' };
  topicsShownAsOf.value = null;
  topicsResponses.value++;
}

/** Reads old topics again in the background, if no switch is being changed. */
export function refreshTopics(): void {
  if (
    topicsLoading.peek().kind === 'ready' &&
    !isSwitching() &&
    Date.now() - requestedAt > MAX_FRESH_AGE_MS
  )
    void loadTopics(true);
}
onReturn(refreshTopics);

async function readSubscriptions(): Promise<Subscription[]> {
  const options = { fallback: 'the server isn’t reachable.', like: subscriptionList };
  try {
    return await call('GET /api/notifications/my-subscriptions', options);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      return call('GET /notifications/subscriptions', options);
    throw error;
  }
}

/** If preferences cannot be read, all topics count as disabled (S7.10). */
function allDisabled(error: unknown): null {
  console.warn('Preferences could not be read: all topics are shown as disabled', error);
  return null;
}

// The device's settings apply once the device is known.
effect(() => {
  if (currentDevice.value && topicsLoading.peek().kind === 'ready') void rereadSwitches();
});
