/** The person's quiet hours from the server, and unsaved changes to them. */
import { computed, signal } from '@preact/signals-react';
import { call } from '../api/call';
import type { ApiError } from '../api/error';
import { onReconnect, onReturn } from '../platform/network';
import { readOfflineData, writeOfflineData } from '../platform/storage/database';
import { quietHoursSchema } from '../shared/contract/quiet-hours' with { type: 'example' };
import type { QuietHours, QuietHoursNow, QuietRule } from '../shared/contract';
import { latestOnly } from './latest-only';
import { sessionClaims, onPersonChange } from './session';

const QUIET_HOURS_FAILED = 'Failed to load your quiet hours.';
export const QUIET_HOURS_SAVE_FAILED = 'Failed to save your quiet hours.';
/** The server's limit. */
export const MAX_QUIET_RULES = 14;

/** `key` identifies a rule while it is edited. */
export interface EditedRule extends QuietRule {
  key: number;
}
export interface EditedQuietHours {
  timeZone: string;
  rules: readonly EditedRule[];
}

/** The device stores the quiet hours for use offline. */
interface StoredQuietHours {
  person: number;
  hours: QuietHoursNow;
}
const QUIET_HOURS_OFFLINE_KEY = 'quiet_hours';

const cachedHours = signal<StoredQuietHours | null>(null);
/** Unsaved changes, or null. */
const unsavedHours = signal<EditedQuietHours | null>(null);

/** The value is null until the quiet hours are loaded. */
export const savedQuietHours = computed(() => cachedHours.value?.hours ?? null);
const savedAsEdited = computed<EditedQuietHours | null>(
  () =>
    savedQuietHours.value && {
      timeZone: savedQuietHours.value.timeZone,
      rules: savedQuietHours.value.rules.map((rule, key) => ({ ...rule, key })),
    },
);
export const editedQuietHours = computed(() => unsavedHours.value ?? savedAsEdited.value);
export const areQuietHoursChanged = computed(() => unsavedHours.value !== null);
export const quietHoursError = signal('');

/** New keys are above the keys of saved rules. */
let nextKey = 1000;
const startRequest = latestOnly();
/** The latest save counts, even if the app read quiet hours in the meantime. */
const startSave = latestOnly();
/** True after a save without a response: the server may have stored the quiet hours. */
let isSaveUncertain = false;
let loadedAt = 0;

onPersonChange(() => {
  startRequest();
  cachedHours.value = unsavedHours.value = null;
  isSaveUncertain = false;
  quietHoursError.value = '';
});

/** Loads the quiet hours, or shows the stored ones offline. The promise never rejects. */
export async function loadQuietHours(): Promise<void> {
  const isLatest = startRequest();
  const userId = sessionClaims.peek()?.id;
  if (userId === undefined) return;
  void showStoredQuietHours(userId);
  try {
    const hours = await call('GET /api/notifications/quiet-hours', {
      fallback: QUIET_HOURS_FAILED,
      like: quietHoursSchema,
    });
    if (isLatest()) applyQuietHours(hours);
  } catch (error) {
    if (isLatest()) quietHoursError.value = (error as ApiError).message;
  }
}

async function showStoredQuietHours(userId: number): Promise<void> {
  if (cachedHours.peek()) return;
  const stored = await readOfflineData<StoredQuietHours>(QUIET_HOURS_OFFLINE_KEY);
  if (stored?.person === userId && sessionClaims.peek()?.id === userId && !cachedHours.peek())
    cachedHours.value = stored;
}

function applyQuietHours(hours: QuietHoursNow): void {
  const userId = sessionClaims.peek()?.id;
  if (userId === undefined) return;
  cachedHours.value = { person: userId, hours };
  isSaveUncertain = false;
  quietHoursError.value = '';
  loadedAt = Date.now();
  void writeOfflineData(QUIET_HOURS_OFFLINE_KEY, cachedHours.peek());
}

/** How long a response counts as fresh. */
const MAX_FRESH_AGE_MS = 60_000;

/** Loads the quiet hours now, on return and on reconnect, until the returned function is called. */
export function followQuietHours(): () => void {
  const stopFunctions = [
    onReturn(() => {
      if (Math.abs(Date.now() - loadedAt) > MAX_FRESH_AGE_MS) void loadQuietHours();
    }),
    onReconnect(() => void loadQuietHours()),
  ];
  void loadQuietHours();
  return () => stopFunctions.forEach((stop) => stop());
}

export function changeQuietHours(part: Partial<EditedQuietHours>): void {
  const draft = editedQuietHours.peek();
  if (!draft) return;
  const nextDraft = { ...draft, ...part };
  const isUnchanged =
    JSON.stringify(toQuietHours(nextDraft)) ===
    JSON.stringify(toQuietHours(savedAsEdited.peek() ?? nextDraft));
  unsavedHours.value = isUnchanged && !isSaveUncertain ? null : nextDraft;
}

export function changeQuietRule(key: number, part: Partial<QuietRule>): void {
  const rules = editedQuietHours.peek()?.rules ?? [];
  changeQuietHours({
    rules: rules.map((rule) => (rule.key === key ? { ...rule, ...part } : rule)),
  });
}

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

/**
 * Adds a rule for all days that have none.
 * @param timeZone used if nothing was saved before
 */
export function addQuietRule(timeZone: string): void {
  const draft = editedQuietHours.peek();
  if (!draft) return;
  const takenDays = draft.rules.flatMap(({ days }) => days);
  const freeDays = EVERY_DAY.filter((day) => !takenDays.includes(day));
  const isFirst = draft.rules.length === 0 && !savedQuietHours.peek()?.rules.length;
  changeQuietHours({
    ...(isFirst && { timeZone }),
    rules: [...draft.rules, { key: nextKey++, days: freeDays, from: '22:00', to: '06:00' }],
  });
}

export const removeQuietRule = (key: number): void =>
  changeQuietHours({
    rules: (editedQuietHours.peek()?.rules ?? []).filter((rule) => rule.key !== key),
  });

/** The request body, with sorted days. */
const toQuietHours = ({ timeZone, rules }: EditedQuietHours): QuietHours => ({
  timeZone,
  rules: rules.map(({ days, from, to }) => ({
    days: [...days].sort((a, b) => a - b),
    from,
    to,
  })),
});

/**
 * Later edits stay unsaved.
 * @throws {ApiError} with the field's `path`, such as `rules.0.days`
 */
export async function saveQuietHours(): Promise<void> {
  const draft = editedQuietHours.peek();
  if (!draft) return;
  const isLatest = startSave();
  const hours = await call('PUT /api/notifications/quiet-hours', {
    body: toQuietHours(draft),
    fallback: QUIET_HOURS_SAVE_FAILED,
    like: quietHoursSchema,
  }).catch((error: ApiError) => {
    isSaveUncertain ||= error.code !== 'rejected';
    throw error;
  });
  if (isLatest()) {
    startRequest(); // discards responses to earlier requests: they may predate this change
    applyQuietHours(hours);
  }
  if (unsavedHours.peek() === draft) unsavedHours.value = null;
}
