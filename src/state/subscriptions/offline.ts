/**
 * What the server last told us of this person's topics. It is kept on the device, so that it can be
 * shown at once at the next start, and without a network.
 */
import { signal } from '@preact/signals-react';
import { clearAll, readKept, writeKept } from '../../platform/storage/database';
import type { Subscription } from '../../shared/contract';
import { reuseEqualRows } from '../reuse-equal-rows';
import { claims } from '../session';

export const savedTopics = signal<readonly Subscription[]>([]);
/** The switch of each topic; null if they could not be read. */
export const savedPreferences = signal<ReadonlyMap<number, boolean> | null>(null);

/** The kept topics of one person. */
export interface KeptTopics {
  person: number;
  time: number;
  saved: readonly Subscription[];
  preferences: ReadonlyMap<number, boolean> | null;
}
const KEPT = 'subscriptions';

export const readKeptTopics = async (person: number) => {
  const old = await readKept<KeptTopics>(KEPT);
  return old?.person === person ? old : undefined;
};

export function showTopics(known: KeptTopics): void {
  savedTopics.value = reuseEqualRows(savedTopics.value, known.saved);
  savedPreferences.value = known.preferences;
}

/**
 * Shows and keeps what the server has just told: at the next start without a network the switches
 * are as they were left.
 */
export function takeTopics(
  subscriptions: readonly Subscription[],
  settings: KeptTopics['preferences'],
): void {
  const person = claims.value?.id;
  if (person === undefined) return;
  const fresh: KeptTopics = {
    person,
    time: Date.now(),
    saved: subscriptions,
    preferences: settings,
  };
  showTopics(fresh);
  void writeKept(KEPT, fresh);
}

/** Forgets it: the next person on this phone sees nothing of this one. */
export function clearKeptTopics(): void {
  savedTopics.value = [];
  savedPreferences.value = null;
  void clearAll();
}
