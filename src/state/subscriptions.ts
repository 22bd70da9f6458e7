/** The topics that an administrator subscribed this person to, and the switch of each. */
import { computed, effect, signal } from '@preact/signals-react';
import { ApiError, call } from '../api';
import type { Subscription } from '../contract';
import { forgetAll, keep, recall } from '../platform/database';
import { onReturn } from '../platform/network';
import { preferences as preferenceList, subscriptions as subscriptionList } from '../shapes';
import { device } from './permission';
import { claims, signedIn } from './session';

export { onReconnect } from '../platform/network';

/** So long after a switch was set, the server is asked what it made of it (specification, section 9). */
const RECHECK_MS = 100;
/** So often a server that could not be reached is asked again: a phone does not always notice that it could be. */
const AGAIN_MS = 10_000;
/** What is older may have been changed by an administrator since: it is asked anew where that costs nobody a thing. */
const FRESH_MS = 60_000;

export type Loading = { is: 'idle' | 'loading' | 'ready' } | { is: 'failed'; message: string };

// `saved` and `preferences` are what the server last told us; `wished` is what the person asked for and the server has
// not confirmed. The screen shows one laid over the other, so undoing a refused change is forgetting the wish.
// Preferences that could not be read are null.
const saved = signal<readonly Subscription[]>([]);
const preferences = signal<ReadonlyMap<number, boolean> | null>(null);
const wished = signal<ReadonlyMap<number, boolean>>(new Map());

export const loading = signal<Loading>({ is: 'idle' });
/** While the server cannot be reached: when it was last asked what is shown (milliseconds since 1970). Else null. */
export const shownAsOf = signal<number | null>(null);
export const rows = computed(() =>
  saved.value.map((subscription) => ({
    ...subscription,
    enabled: wished.value.get(subscription.topic.id) ?? preferences.value?.get(subscription.topic.id) ?? false,
  })),
);
export const enabledCount = computed(() => rows.value.filter(({ enabled }) => enabled).length);
/** Whether this device is to be notified of anything. What could not be read may be enabled. */
export const wanted = computed(() => !preferences.value || enabledCount.value > 0);

/** The latest load is the one that counts: an earlier one may end later, and even in another session. */
let latest = 0;

effect(() => {
  if (signedIn.value) return;
  latest++;
  saved.value = [];
  preferences.value = null;
  wished.value = new Map();
  loading.value = { is: 'idle' };
  shownAsOf.value = null;
  void forgetAll(); // the next person on this phone sees nothing of this one
});

/** What is kept of one person's topics, to be shown at once at the next start and without a network. */
interface Kept {
  person: number;
  time: number;
  saved: readonly Subscription[];
  preferences: ReadonlyMap<number, boolean> | null;
}
const KEPT = 'subscriptions';

/** When that began. */
let asked = 0;
let again: ReturnType<typeof setTimeout>;

/**
 * Loads the topics and their switches side by side. What was shown before, or at the last visit, stays until the
 * answer is there, and for as long as there is none.
 * @param quiet nobody asked for it: what cannot be read is tried again before that is said or shown, as a phone that wakes
 *   up may need a moment to be connected
 */
export async function load(quiet = false): Promise<void> {
  const person = claims.value?.id;
  if (person === undefined) return;
  const mine = ++latest;
  const known = device.value;
  asked = Date.now();
  clearTimeout(again);
  if (loading.value.is !== 'ready') loading.value = { is: 'loading' };
  const answers = Promise.all([readSubscriptions(), readPreferences().catch(quiet ? undefined : allDisabled)]);
  const kept = recallOf(person); // after them, as opening the database takes a slow phone 15 ms
  void kept.then((old) => {
    if (old && loading.value.is === 'loading' && mine === latest) show(old);
  });
  try {
    const [subscriptions, settings] = await answers;
    if (mine !== latest) return;
    take(subscriptions, settings);
    loading.value = { is: 'ready' };
    shownAsOf.value = null;
    if (device.value !== known) void recheck(); // these were the settings of another
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'stale') return;
    const old = await kept;
    if (mine !== latest) return;
    if (quiet) again = setTimeout(() => void load(), AGAIN_MS);
    else if (old && error.code === 'unreachable') {
      loading.value = { is: 'ready' };
      shownAsOf.value = old.time;
      again = setTimeout(() => void load(), AGAIN_MS);
    } else {
      loading.value = { is: 'failed', message: `Failed to load subscriptions: ${error.message}` };
    }
  }
}

/** Asks anew, with nothing to be seen of it, if what is shown is old and no switch is just being changed. */
export function refresh(): void {
  if (loading.peek().is === 'ready' && !busy.size && Date.now() - asked > FRESH_MS) void load(true);
}
onReturn(refresh);

const recallOf = async (person: number) => {
  const old = await recall<Kept>(KEPT);
  return old?.person === person ? old : undefined;
};

function show(known: Kept): void {
  saved.value = known.saved;
  preferences.value = known.preferences;
}

/** Shows and keeps what the server has just told: at the next start without a network the switches are as they were left. */
function take(subscriptions: readonly Subscription[], settings: Kept['preferences']): void {
  const person = claims.value?.id;
  if (person === undefined) return;
  const fresh: Kept = { person, time: Date.now(), saved: subscriptions, preferences: settings };
  show(fresh);
  void keep(KEPT, fresh);
}

async function readSubscriptions(): Promise<Subscription[]> {
  const options = { fallback: 'the server could not be reached.', like: subscriptionList };
  try {
    return await call('GET /api/notifications/my-subscriptions', options);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return call('GET /notifications/subscriptions', options);
    throw error;
  }
}

/** How many switches the server has stored. */
let changes = 0;

/** The settings in force on this device, or the account's where this device is not registered. */
async function readPreferences(): Promise<Kept['preferences']> {
  const options = { fallback: 'Failed to load preferences.', like: preferenceList };
  const id = device.value?.id;
  const before = changes;
  const list = await (id === undefined
    ? call('GET /api/notifications/preferences', options)
    : call('GET /api/notifications/preferences/:id', { ...options, params: { id } }));
  // A switch that was stored meanwhile may be newer than this answer.
  return before === changes ? new Map(list.map(({ topicId, enabled }) => [topicId, enabled])) : preferences.value;
}

/** Without preferences, all topics count as disabled (specification, section 7). */
function allDisabled(error: unknown): null {
  console.warn('Preferences could not be read: all topics are shown as disabled', error);
  return null;
}

/** Asks again what the switches are; what is shown stays if there is no answer. */
async function recheck(): Promise<void> {
  const settings = await readPreferences().catch(() => undefined);
  if (settings) take(saved.value, settings);
}

// Once the device is known, its own settings are the ones that count.
effect(() => {
  if (device.value && loading.peek().is === 'ready') void recheck();
});

const busy = new Set<number>();

/**
 * Flips the switch at once and tells the server, one request at a time for each topic; of many taps the last one wins.
 * @throws {ApiError} with the switch already back, if the server refuses
 */
export async function toggle(topicId: number, enabled: boolean): Promise<void> {
  wish(topicId, enabled);
  if (busy.has(topicId)) return; // the loop below sees the new wish
  busy.add(topicId);
  try {
    for (let asked: boolean | undefined; (asked = wished.value.get(topicId)) !== undefined; ) {
      await store(topicId, asked);
      changes++;
      take(saved.value, new Map(preferences.value).set(topicId, asked));
      if (wished.value.get(topicId) === asked) wish(topicId, undefined);
    }
  } catch (error) {
    wish(topicId, undefined);
    throw error;
  } finally {
    busy.delete(topicId);
    setTimeout(() => {
      if (signedIn.value && busy.size === 0) void recheck();
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
  const fallback = 'Failed to update notification preference';
  const id = device.value?.id;
  if (id === undefined) await call('PUT /api/notifications/preferences/global/:topicId', { params: { topicId }, body: { enabled }, fallback });
  else await call('PUT /api/notifications/preferences/:id', { params: { id }, body: { topicId, enabled }, fallback });
}
