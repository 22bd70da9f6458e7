/** Leaving a mail server alone that takes nothing, whoever it is for. */

/** In a row, before the others wait. */
const FAILURES = 5;
const FIRST_MILLISECONDS = 5000;
/** Not longer: somebody may be waiting for a link. */
const MAX_MILLISECONDS = 60_000;

export interface MailTrouble {
  /** How many mails the mail server may have at once: one, now and then, while it takes none. */
  room(now: number, most: number): number;
  succeeded(): void;
  /** @returns whether this is what makes the others wait */
  failed(now: number): boolean;
}

/**
 * Ten thousand invitations to a mail server that is down are not tried each, at the same moment and
 * again and again: after some that failed the others wait as they are, while one is tried.
 */
export function watchTrouble(): MailTrouble {
  let failures = 0;
  let until = 0;
  return {
    room(now, most) {
      if (failures < FAILURES) return most;
      return now < until ? 0 : 1;
    },
    succeeded() {
      failures = 0;
    },
    failed(now) {
      failures += 1;
      const doubled = FIRST_MILLISECONDS * 2 ** Math.max(0, failures - FAILURES);
      until = now + Math.min(doubled, MAX_MILLISECONDS);
      return failures === FAILURES;
    },
  };
}
