/** Stops sending to a mail server that rejects all mail. */

/** After this many failures in a row, only one mail at a time is tried. */
const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 60_000;

export interface MailBreaker {
  /** How many mails may be sent at once: `max`, or one at intervals while the server rejects all. */
  countAllowed(now: number, max: number): number;
  recordSuccess(): void;
  recordFailure(now: number): boolean;
}

/** Prevents ten thousand invitations to a dead mail server from being retried at once. */
export function createMailBreaker(): MailBreaker {
  let failures = 0;
  let pausedUntil = 0;
  return {
    countAllowed(now, max) {
      if (failures < MAX_FAILURES) return max;
      return now < pausedUntil ? 0 : 1;
    },
    recordSuccess() {
      failures = 0;
    },
    recordFailure(now) {
      failures += 1;
      const pauseMs = FIRST_PAUSE_MS * 2 ** Math.max(0, failures - MAX_FAILURES);
      pausedUntil = now + Math.min(pauseMs, MAX_PAUSE_MS);
      return failures === MAX_FAILURES;
    },
  };
}
