/** The switches of this person's topics, those included that the server has not confirmed yet. */
import { computed, signal } from '@preact/signals-react';
import { call } from '../../api/call';
import { preferences as preferenceList } from '../../shared/contract/subscriptions' with {
  type: 'example',
};
import { device } from '../device/registration';
import { claims } from '../session';
import type { Preference } from '../../shared/contract';
import { savedPreferences, savedTopics, takeTopics, type KeptTopics } from './offline';

/**
 * So long after a switch was set, the server is asked what it made of it (S9.8).
 */
const RECHECK_MS = 100;
export const SWITCH_FAILED = 'Failed to update notification preference';

// `savedTopics` and `savedPreferences` are what the server last told us; `wished` is what the person asked for
// and the server has not confirmed. The screen shows one laid over the other, so undoing a refused
// change is forgetting the wish.
const wished = signal<ReadonlyMap<number, boolean>>(new Map());

/** How the switch of a topic is shown. */
export const isEnabled = (topicId: number): boolean =>
  wished.value.get(topicId) ?? savedPreferences.value?.get(topicId) ?? false;
export const enabledCount = computed(
  () => savedTopics.value.filter(({ topic }) => isEnabled(topic.id)).length,
);
/** Whether this device is to be notified of anything. What could not be read may be enabled. */
export const wanted = computed(() => !savedPreferences.value || enabledCount.value > 0);

/** Forgets what was asked for. */
export const clearWishes = (): void => {
  wished.value = new Map();
};

/** How many switches the server has stored. */
let changes = 0;

/** The settings in force on this device, or the account's where this device is not registered. */
export async function readPreferences(): Promise<KeptTopics['preferences']> {
  const options = { fallback: 'Failed to load preferences.', like: preferenceList };
  const id = device.value?.id;
  const before = changes;
  const list = await (id === undefined
    ? call('GET /api/notifications/preferences', options)
    : call('GET /api/notifications/preferences/:id', { ...options, params: { id } }));
  // A switch that was stored meanwhile may be newer than this answer.
  return before === changes ? byTopic(list) : savedPreferences.value;
}
export const byTopic = (list: readonly Preference[]): KeptTopics['preferences'] =>
  new Map(list.map(({ topicId, enabled }) => [topicId, enabled]));

/** Reads the switches again; the shown ones stay if there is no answer. */
export async function recheck(): Promise<void> {
  const settings = await readPreferences().catch(() => undefined);
  if (settings) takeTopics(savedTopics.value, settings);
}

const busy = new Set<number>();
/** Whether a switch is just being changed. */
export const switching = (): boolean => busy.size > 0;

/**
 * Flips the switch at once and tells the server, one request at a time for each topic; of many taps
 * the last one wins.
 * @throws {ApiError} with the switch already back, if the server refuses
 */
export async function toggle(topicId: number, enabled: boolean): Promise<void> {
  const session = claims.value;
  wish(topicId, enabled);
  if (busy.has(topicId)) return; // the loop below sees the new wish
  busy.add(topicId);
  try {
    for (;;) {
      const on = wished.value.get(topicId);
      if (on === undefined) break;
      await store(topicId, on);
      changes++;
      takeTopics(savedTopics.value, new Map(savedPreferences.value).set(topicId, on));
      if (wished.value.get(topicId) === on) wish(topicId, undefined);
    }
  } catch (error) {
    wish(topicId, undefined);
    throw error;
  } finally {
    busy.delete(topicId);
    setTimeout(() => {
      if (session && claims.value === session && busy.size === 0) void recheck();
    }, RECHECK_MS);
  }
}

function wish(topicId: number, enabled: boolean | undefined): void {
  const next = new Map(wished.value);
  if (enabled === undefined) next.delete(topicId);
  else next.set(topicId, enabled);
  wished.value = next;
}

/** The switch speaks for this device once the server knows it, else for the account. */
async function store(topicId: number, enabled: boolean): Promise<void> {
  const id = device.value?.id;
  if (id === undefined)
    await call('PUT /api/notifications/preferences/global/:topicId', {
      params: { topicId },
      body: { enabled },
      fallback: SWITCH_FAILED,
    });
  else
    await call('PUT /api/notifications/preferences/:id', {
      params: { id },
      body: { topicId, enabled },
      fallback: SWITCH_FAILED,
    });
}
