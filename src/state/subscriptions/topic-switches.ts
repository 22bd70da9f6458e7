/** The switches of the person's topics, including changes that the server has not confirmed. */
import { computed, signal } from '@preact/signals-react';
import { call } from '../../api/call';
import { preferencesSchema as preferencesExample } from '../../shared/contract/subscriptions' with {
  type: 'example',
};
import { currentDevice } from '../device/registration';
import { sessionClaims } from '../session';
import type { Preference } from '../../shared/contract';
import { savedPreferences, savedTopics, applyTopics, type CachedTopics } from './cached-topics';

/** When to check what the server made of a change (S9.8). */
const RECHECK_DELAY_MS = 100;
export const SWITCH_FAILED = 'Failed to update notification preference';

// Overlaid on what the server last sent, so undoing a rejected change only drops it here.
const pendingSwitches = signal<ReadonlyMap<number, boolean>>(new Map());

export const isTopicEnabled = (topicId: number): boolean =>
  pendingSwitches.value.get(topicId) ?? savedPreferences.value?.get(topicId) ?? false;
export const enabledCount = computed(
  () => savedTopics.value.filter(({ topic }) => isTopicEnabled(topic.id)).length,
);
/** Whether this device should be notified of anything. Unreadable preferences count as enabled. */
export const isAnyEnabled = computed(() => !savedPreferences.value || enabledCount.value > 0);

export const clearPending = (): void => {
  pendingSwitches.value = new Map();
};

/** How many changes the server has stored. */
let storedChangeCount = 0;

/** Reads the settings of this device, or of the account if this device is not registered. */
export async function readPreferences(): Promise<CachedTopics['preferences']> {
  const options = { fallback: 'Failed to load preferences.', like: preferencesExample };
  const deviceId = currentDevice.value?.id;
  const countBefore = storedChangeCount;
  const preferences = await (deviceId === undefined
    ? call('GET /api/notifications/preferences', options)
    : call('GET /api/notifications/preferences/:id', { ...options, params: { id: deviceId } }));
  // A switch stored in the meantime may be newer than this response.
  return countBefore === storedChangeCount
    ? preferencesByTopic(preferences)
    : savedPreferences.value;
}
export const preferencesByTopic = (
  preferences: readonly Preference[],
): CachedTopics['preferences'] =>
  new Map(preferences.map(({ topicId, enabled }) => [topicId, enabled]));

/** If the call fails, the shown switches stay. */
export async function rereadSwitches(): Promise<void> {
  const settings = await readPreferences().catch(() => undefined);
  if (settings) applyTopics(savedTopics.value, settings);
}

const busyTopics = new Set<number>();
export const isSwitching = (): boolean => busyTopics.size > 0;

/**
 * Sends one request at a time per topic; the last tap wins.
 * @throws {ApiError} with the switch already back, if the server rejects
 */
export async function toggleTopic(topicId: number, isEnabled: boolean): Promise<void> {
  const session = sessionClaims.value;
  setPending(topicId, isEnabled);
  if (busyTopics.has(topicId)) return; // the loop below sends the new setting
  busyTopics.add(topicId);
  try {
    for (;;) {
      const isOn = pendingSwitches.value.get(topicId);
      if (isOn === undefined) break;
      await storeSwitch(topicId, isOn);
      storedChangeCount++;
      applyTopics(savedTopics.value, new Map(savedPreferences.value).set(topicId, isOn));
      if (pendingSwitches.value.get(topicId) === isOn) setPending(topicId, undefined);
    }
  } catch (error) {
    setPending(topicId, undefined);
    throw error;
  } finally {
    busyTopics.delete(topicId);
    setTimeout(() => {
      if (session && sessionClaims.value === session && busyTopics.size === 0)
        void rereadSwitches();
    }, RECHECK_DELAY_MS);
  }
}

function setPending(topicId: number, isEnabled: boolean | undefined): void {
  const nextSwitches = new Map(pendingSwitches.value);
  if (isEnabled === undefined) nextSwitches.delete(topicId);
  else nextSwitches.set(topicId, isEnabled);
  pendingSwitches.value = nextSwitches;
}

/** Sets this device's switch, or the account's if the server does not know the device. */
async function storeSwitch(topicId: number, isEnabled: boolean): Promise<void> {
  const deviceId = currentDevice.value?.id;
  if (deviceId === undefined)
    await call('PUT /api/notifications/preferences/global/:topicId', {
      params: { topicId },
      body: { enabled: isEnabled },
      fallback: SWITCH_FAILED,
    });
  else
    await call('PUT /api/notifications/preferences/:id', {
      params: { id: deviceId },
      body: { topicId, enabled: isEnabled },
      fallback: SWITCH_FAILED,
    });
}
