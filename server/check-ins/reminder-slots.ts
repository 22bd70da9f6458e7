/** Spreads reminders that are due at the same moment, so that calls are answered meanwhile. */
import type { Database } from '../db/open';

/** 25 in a tenth of a second: more people in a transaction would block the embedded engine longer. */
export const REMINDERS_AT_ONCE = 25;
const SLOT_MS = 100;
/** No reminder is later than this time, even if more people are due than it has slots for. */
const MAX_SPREAD_MS = 40_000;

/** When the next turn is free, in milliseconds since 1970. Each process has its own turns. */
const nextSlotAt = new WeakMap<Database, number>();

/** @returns when to send the next reminder: now, or at the beginning of a later tick */
export function nextReminderSlot(db: Database, now: number): number {
  const nextFree = nextSlotAt.get(db) ?? now;
  const at = nextFree > now + MAX_SPREAD_MS ? now : Math.max(now, nextFree);
  nextSlotAt.set(db, at + SLOT_MS / REMINDERS_AT_ONCE);
  return at < now + SLOT_MS ? now : Math.floor(at / SLOT_MS) * SLOT_MS;
}
