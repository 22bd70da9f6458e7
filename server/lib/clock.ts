/**
 * The time of day for a server process. A clock that jumps must not end sessions, links and messages,
 * so a jump is believed only once it has lasted.
 */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Whether nothing speaks against it: the process has run for a minute, and the system's clock
   * agrees.
   */
  isSure(): boolean;
  /** Milliseconds that only ever go on, for waiting. */
  elapsed(): number;
}

/**
 * How far the system's clock may be off before it counts as a jump: time servers correct by less.
 */
const DRIFT = 2000;
/** How long a jump must last until it is believed. */
const LASTING = 60_000;

/**
 * @param wall what the system takes for the time; @param elapsed the monotonic clock. Both given
 * only by tests
 */
export function createClock(
  wall: () => number = Date.now,
  elapsed: () => number = () => performance.now(),
): Clock {
  const startedAt = elapsed();
  /** What the monotonic clock lacks to the time of day. */
  let offset = wall() - startedAt;
  let jump: { offset: number; since: number } | undefined;

  function look(): void {
    const seen = wall() - elapsed();
    if (Math.abs(seen - offset) <= DRIFT) {
      offset = seen;
      jump = undefined;
    } else if (jump === undefined || Math.abs(seen - jump.offset) > DRIFT) {
      jump = { offset: seen, since: elapsed() };
    } else if (elapsed() - jump.since >= LASTING) {
      offset = seen;
      jump = undefined;
    }
  }

  return {
    now() {
      look();
      return Math.round(offset + elapsed());
    },
    isSure() {
      look();
      return jump === undefined && elapsed() - startedAt >= LASTING;
    },
    elapsed,
  };
}

/** That of this process. */
export const clock: Clock = createClock();
