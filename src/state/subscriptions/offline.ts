/**
 * What the server last told us of this person's topics. It is kept on the device, so that it can be
 * shown at once at the next start, and without a network.
 */
import { signal } from '@preact/signals-react';
import { clearAll, read, write } from '../../platform/storage/database';
import type { Subscription } from '../../shared/contract';
import { reuseEqualRows } from '../reuse-equal-rows';
import { claims } from '../session';

export const saved = signal<readonly Subscription[]>([]);
/** The switch of each topic; null if they could not be read. */
export const preferences = signal<ReadonlyMap<number, boolean> | null>(null);

/** The kept topics of one person. */
export interface Kept {
  person: number;
  time: number;
  saved: readonly Subscription[];
  preferences: ReadonlyMap<number, boolean> | null;
}
const KEPT = 'subscriptions';

export const readKept = async (person: number) => {
  const old = await read<Kept>(KEPT);
  return old?.person === person ? old : undefined;
};

export function show(known: Kept): void {
  saved.value = reuseEqualRows(saved.value, known.saved);
  preferences.value = known.preferences;
}

/**
 * Shows and keeps what the server has just told: at the next start without a network the switches
 * are as they were left.
 */
export function take(subscriptions: readonly Subscription[], settings: Kept['preferences']): void {
  const person = claims.value?.id;
  if (person === undefined) return;
  const fresh: Kept = { person, time: Date.now(), saved: subscriptions, preferences: settings };
  show(fresh);
  void write(KEPT, fresh);
}

/** Forgets it: the next person on this phone sees nothing of this one. */
export function clearKept(): void {
  saved.value = [];
  preferences.value = null;
  void clearAll();
}
