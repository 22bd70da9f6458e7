/**
 * The sleep test under way, kept on the device: its result may be hours away, and is shown at the
 * next visit.
 */
import { readStored, writeStored } from '../../platform/storage/storage';
import type { Test } from '../../shared/contract';
import { now } from '../clock';
import { claims, SLEEP } from '../session';

/** The phone is left alone for so long: seconds. */
export const SLEEP_S = 900;
/** A test with a delay of minutes is one; those without leave at once. */
const LEAST_MS = 60_000;
/** By then its push has expired. */
const OVER_MS = 26 * 3600_000;

interface Kept {
  person: number;
  id: string;
  /** When it was begun: milliseconds since 1970. */
  at: number;
}

/** Whether a test is one of a phone that sleeps: by itself, so that any page knows it. */
export const isSleepTest = ({ createdAt, sendAt }: Test): boolean =>
  Date.parse(sendAt) - Date.parse(createdAt) > LEAST_MS;

export function keepSleepTest(id: string): void {
  const person = claims.value?.id;
  if (person !== undefined)
    writeStored(SLEEP, JSON.stringify({ person, id, at: now() } satisfies Kept));
}

/** The person's sleep test that waits to be looked at, if there is one. */
export function keptSleepTest(): string | undefined {
  const kept = parse(readStored(SLEEP));
  if (!kept || kept.person !== claims.value?.id) return undefined;
  return Math.abs(now() - kept.at) < OVER_MS ? kept.id : undefined;
}

/** Its result was seen, or is of no use any more. */
export function forgetSleepTest(id = keptSleepTest()): void {
  if (id !== undefined && id === keptSleepTest()) writeStored(SLEEP, null);
}

function parse(text: string | null): Kept | undefined {
  try {
    const kept = JSON.parse(text ?? 'null') as Partial<Kept> | null;
    return typeof kept?.id === 'string' && typeof kept.at === 'number' ? (kept as Kept) : undefined;
  } catch {
    return undefined;
  }
}
