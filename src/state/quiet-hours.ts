/**
 * The quiet hours of the person who is signed in: what the server last told, and laid over it what
 * the person changed and did not save.
 */
import { computed, signal } from '@preact/signals-react';
import { call } from '../api/call';
import type { ApiError } from '../api/error';
import { onReconnect, onReturn } from '../platform/network';
import { readKept, writeKept } from '../platform/storage/database';
import { quietHours } from '../shared/contract/quiet-hours' with { type: 'example' };
import type { QuietHours, QuietHoursNow, QuietRule } from '../shared/contract';
import { latestOnly } from './latest';
import { claims, onNextPerson } from './session';

const LOAD_FAILED = 'Your quiet hours could not be read.';
export const QUIET_HOURS_SAVE_FAILED = 'Your quiet hours could not be saved.';
/** The most rules that the server takes. */
export const MAX_RULES = 14;

/** A rule with what tells it from others while it is changed. */
export interface EditedRule extends QuietRule {
  key: number;
}
/** As the form shows them. */
export interface Edited {
  timeZone: string;
  rules: readonly EditedRule[];
}

/** What the server told, kept on the device so that it is known without a network. */
interface Known {
  person: number;
  hours: QuietHoursNow;
}
const KEPT = 'quiet_hours';

const known = signal<Known | null>(null);
/** What was changed and not saved; null if that is nothing. */
const changed = signal<Edited | null>(null);

/** As the server told them last; null while nothing is known. */
export const savedHours = computed(() => known.value?.hours ?? null);
const savedAsEdited = computed<Edited | null>(
  () =>
    savedHours.value && {
      timeZone: savedHours.value.timeZone,
      rules: savedHours.value.rules.map((rule, key) => ({ ...rule, key })),
    },
);
/** As the person wants them; null while nothing is known. */
export const edited = computed(() => changed.value ?? savedAsEdited.value);
/** Whether there is something to save. */
export const areHoursChanged = computed(() => changed.value !== null);
/** Why they could not be read; empty if they could. */
export const loadError = signal('');

/** The next rule's key: not one of those that the server told. */
let nextKey = 1000;
const ask = latestOnly();
/** Of those that save the latest counts, whatever was read meanwhile. */
const askToSave = latestOnly();
/** What the server has may be what an unanswered save told it. */
let unsure = false;
/** When it was answered. */
let asked = 0;

onNextPerson(() => {
  ask();
  known.value = changed.value = null;
  unsure = false;
  loadError.value = '';
});

/** Reads them. Without a network what was kept is shown. Never rejects. */
export async function loadQuietHours(): Promise<void> {
  const isLatest = ask();
  const present = claims.peek()?.id;
  if (present === undefined) return;
  void showKept(present);
  try {
    const hours = await call('GET /api/notifications/quiet-hours', {
      fallback: LOAD_FAILED,
      like: quietHours,
    });
    if (isLatest()) take(hours);
  } catch (error) {
    if (isLatest()) loadError.value = (error as ApiError).message;
  }
}

async function showKept(present: number): Promise<void> {
  if (known.peek()) return;
  const kept = await readKept<Known>(KEPT);
  if (kept?.person === present && claims.peek()?.id === present && !known.peek())
    known.value = kept;
}

function take(hours: QuietHoursNow): void {
  const present = claims.peek()?.id;
  if (present === undefined) return;
  known.value = { person: present, hours };
  unsure = false;
  loadError.value = '';
  asked = Date.now();
  void writeKept(KEPT, known.peek());
}

/** By itself the server is not asked again for so long. */
const FRESH_MS = 60_000;

/**
 * Reads them now, when the person comes back, and when the device is connected again, until the
 * returned function is called.
 */
export function followQuietHours(): () => void {
  const stops = [
    onReturn(() => {
      if (Math.abs(Date.now() - asked) > FRESH_MS) void loadQuietHours();
    }),
    onReconnect(() => void loadQuietHours()),
  ];
  void loadQuietHours();
  return () => stops.forEach((stop) => stop());
}

/** Changes them on this device alone. */
export function changeHours(part: Partial<Edited>): void {
  const now = edited.peek();
  if (!now) return;
  const next = { ...now, ...part };
  const same = JSON.stringify(plain(next)) === JSON.stringify(plain(savedAsEdited.peek() ?? next));
  changed.value = same && !unsure ? null : next;
}

export function changeRule(key: number, part: Partial<QuietRule>): void {
  const rules = edited.peek()?.rules ?? [];
  changeHours({ rules: rules.map((rule) => (rule.key === key ? { ...rule, ...part } : rule)) });
}

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

/**
 * Adds a night on all days that have no rule yet. @param timeZone that of this device: it counts if
 * nothing was saved before
 */
export function addRule(timeZone: string): void {
  const now = edited.peek();
  if (!now) return;
  const taken = now.rules.flatMap(({ days }) => days);
  const free = EVERY_DAY.filter((day) => !taken.includes(day));
  const isFirst = now.rules.length === 0 && !savedHours.peek()?.rules.length;
  changeHours({
    ...(isFirst && { timeZone }),
    rules: [...now.rules, { key: nextKey++, days: free, from: '22:00', to: '06:00' }],
  });
}

export const removeRule = (key: number): void =>
  changeHours({ rules: (edited.peek()?.rules ?? []).filter((rule) => rule.key !== key) });

/** What the server is told, with the days in their order. */
const plain = ({ timeZone, rules }: Edited): QuietHours => ({
  timeZone,
  rules: rules.map(({ days, from, to }) => ({
    days: [...days].sort((one, other) => one - other),
    from,
    to,
  })),
});

/**
 * Saves what was changed. What is changed meanwhile stays so.
 * @throws {ApiError} whose `path` names what the server does not take, such as `rules.0.days`
 */
export async function save(): Promise<void> {
  const wanted = edited.peek();
  if (!wanted) return;
  const isLatest = askToSave();
  const hours = await call('PUT /api/notifications/quiet-hours', {
    body: plain(wanted),
    fallback: QUIET_HOURS_SAVE_FAILED,
    like: quietHours,
  }).catch((error: ApiError) => {
    unsure ||= error.code !== 'refused';
    throw error;
  });
  if (isLatest()) {
    ask(); // what was asked before may be as it was then
    take(hours);
  }
  if (changed.peek() === wanted) changed.value = null;
}
