export interface VisibilityWatch {
  /** Checks now, or once more if a check is in progress. */
  checkNow(): void;
  stop(): void;
}

/**
 * Checks now, and again after as many ms as `check` resolved with. Pauses while the page is hidden.
 * @param check never rejects
 */
export function watchWhileVisible(check: () => Promise<number>): VisibilityWatch {
  let checkTimer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let isChecking = false;
  let isCheckRequested = false;
  async function checkAndSchedule(): Promise<void> {
    clearTimeout(checkTimer);
    if (isStopped || document.hidden) return;
    isCheckRequested = isChecking;
    if (isChecking) return;
    isChecking = true;
    const delayMs = await check();
    isChecking = false;
    if (isCheckRequested) return checkAndSchedule();
    if (!isStopped && !document.hidden)
      checkTimer = setTimeout(() => void checkAndSchedule(), delayMs);
  }
  const checkNow = () => void checkAndSchedule();
  document.addEventListener('visibilitychange', checkNow);
  checkNow();
  return {
    checkNow,
    stop() {
      isStopped = true;
      clearTimeout(checkTimer);
      document.removeEventListener('visibilitychange', checkNow);
    },
  };
}

/** Looks at intervals while the page is visible, and at once on return. Returns how to stop. */
export function repeatWhileVisible(milliseconds: number, check: () => void): () => void {
  let skipsNextCheck = !document.hidden;
  const watch = watchWhileVisible(async () => {
    if (!skipsNextCheck) check();
    skipsNextCheck = false;
    return milliseconds;
  });
  return watch.stop;
}
