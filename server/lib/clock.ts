/**
 * The time of day for a server process. A jump of the clock must not end sessions and messages, so
 * it counts only once it has lasted.
 */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** True once the process has run for a minute and the system's clock agrees. */
  isSure(): boolean;
  /** Monotonic milliseconds, for waiting. */
  elapsed(): number;
}

/** A larger difference is a jump: time servers correct by less. */
const LARGEST_CORRECTION_MS = 2000;
/** How long a jump must last to count. */
const LASTING_JUMP_MS = 60_000;

/**
 * @param wall the system's time
 * @param elapsed the monotonic clock; both for tests
 */
export function createClock(
  wall: () => number = Date.now,
  elapsed: () => number = () => performance.now(),
): Clock {
  const startedAt = elapsed();
  /** Time of day minus monotonic clock. */
  let offset = wall() - startedAt;
  let clockJump: { offset: number; since: number } | undefined;

  function checkForJump(): void {
    const wallOffset = wall() - elapsed();
    if (Math.abs(wallOffset - offset) <= LARGEST_CORRECTION_MS) {
      offset = wallOffset;
      clockJump = undefined;
    } else if (
      clockJump === undefined ||
      Math.abs(wallOffset - clockJump.offset) > LARGEST_CORRECTION_MS
    ) {
      clockJump = { offset: wallOffset, since: elapsed() };
    } else if (elapsed() - clockJump.since >= LASTING_JUMP_MS) {
      offset = wallOffset;
      clockJump = undefined;
    }
  }

  return {
    now() {
      checkForJump();
      return Math.round(offset + elapsed());
    },
    isSure() {
      checkForJump();
      return clockJump === undefined && elapsed() - startedAt >= LASTING_JUMP_MS;
    },
    elapsed,
  };
}

export const clock: Clock = createClock();

/** ISO 8601, as the contract has times. */
export const toTime = (at: number): string => new Date(at).toISOString();
export const toTimeOrNull = (at: number | null): string | null => (at === null ? null : toTime(at));
