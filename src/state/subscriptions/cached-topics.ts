/** The person's topics as the server last sent them, kept for a fast start and for offline use. */
import { signal } from '@preact/signals-react';
import {
  clearOfflineData,
  readOfflineData,
  writeOfflineData,
} from '../../platform/storage/database';
import type { Subscription } from '../../shared/contract';
import { reuseEqualRows } from '../reuse-equal-rows';
import { sessionClaims } from '../session';

export const savedTopics = signal<readonly Subscription[]>([]);
/** The settings are null if the topics could not be read. */
export const savedPreferences = signal<ReadonlyMap<number, boolean> | null>(null);

export interface CachedTopics {
  person: number;
  time: number;
  saved: readonly Subscription[];
  preferences: ReadonlyMap<number, boolean> | null;
}
const TOPICS_OFFLINE_KEY = 'subscriptions';

export const readCachedTopics = async (person: number) => {
  const old = await readOfflineData<CachedTopics>(TOPICS_OFFLINE_KEY);
  return old?.person === person ? old : undefined;
};

export function showTopics(known: CachedTopics): void {
  savedTopics.value = reuseEqualRows(savedTopics.value, known.saved);
  savedPreferences.value = known.preferences;
}

/** Shows and keeps the server's response. */
export function applyTopics(
  subscriptions: readonly Subscription[],
  settings: CachedTopics['preferences'],
): void {
  const person = sessionClaims.value?.id;
  if (person === undefined) return;
  const newCache: CachedTopics = {
    person,
    time: Date.now(),
    saved: subscriptions,
    preferences: settings,
  };
  showTopics(newCache);
  void writeOfflineData(TOPICS_OFFLINE_KEY, newCache);
}

/** The next person on this phone must not see them. */
export function clearCachedTopics(): void {
  savedTopics.value = [];
  savedPreferences.value = null;
  void clearOfflineData();
}
