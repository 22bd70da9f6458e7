/**
 * What was counted of messages to very many, told again for a while: counting one to a million takes
 * the database seconds, and each page that shows it asks every two.
 */
import type { People } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import type { DeviceCounts, RecipientTally } from './counts';

/** Of one message. */
export interface Counts {
  devices: DeviceCounts;
  isCutOff: boolean;
  people: People;
  tally: RecipientTally | undefined;
}

interface Kept {
  /** What the message itself was then. */
  of: string;
  counts: Promise<Counts>;
  /** Milliseconds of the monotonic clock. Infinite while it is being counted. */
  until: number;
}

/** Counting may take this part of the time: of a second that it takes, nine follow without. */
const PART = 10;
/**
 * For so many milliseconds after that, who asks is told the same while it is counted anew: a page
 * that is looked at asks every two seconds.
 */
const GRACE = 10_000;
const MAX_KEPT = 100;

const kept = new WeakMap<Database, Map<string, Kept>>();

/**
 * What was last counted of the message, also while it is counted anew, or is being counted for
 * somebody else; else what `count` gives. A failure is not kept.
 * @param of what the message itself says that goes with what is counted: where that has changed, it
 *   is counted anew
 * @param elapsed milliseconds of the monotonic clock, given only by tests
 */
export function countSeldom(
  messageId: string,
  of: string,
  db: Database,
  count: () => Promise<Counts>,
  elapsed = (): number => performance.now(),
): Promise<Counts> {
  const all = kept.get(db) ?? new Map<string, Kept>();
  kept.set(db, all);
  const began = elapsed();
  const last = all.get(messageId);
  const known = last?.of === of && began < last.until + GRACE ? last : undefined;
  if (known !== undefined && began < known.until) return known.counts;
  const counting = count();
  const entry: Kept = { of, counts: known?.counts ?? counting, until: Infinity };
  all.delete(messageId);
  all.set(messageId, entry);
  const [oldest] = all.keys();
  if (all.size > MAX_KEPT && oldest !== undefined) all.delete(oldest);
  counting.then(
    () => {
      entry.counts = counting;
      entry.until = elapsed() + (PART - 1) * (elapsed() - began);
    },
    () => all.get(messageId) === entry && all.delete(messageId),
  );
  return entry.counts;
}
