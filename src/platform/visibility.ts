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
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let checking = false;
  let again = false;
  async function checkAndSchedule(): Promise<void> {
    clearTimeout(timer);
    if (stopped || document.hidden) return;
    again = checking;
    if (checking) return;
    checking = true;
    const wait = await check();
    checking = false;
    if (again) return checkAndSchedule();
    if (!stopped && !document.hidden) timer = setTimeout(() => void checkAndSchedule(), wait);
  }
  const checkNow = () => void checkAndSchedule();
  document.addEventListener('visibilitychange', checkNow);
  checkNow();
  return {
    checkNow,
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', checkNow);
    },
  };
}

/** Looks at intervals while the page is visible, and at once on return. Returns how to stop. */
export function repeatWhileVisible(milliseconds: number, check: () => void): () => void {
  let early = !document.hidden;
  const watch = watchWhileVisible(async () => {
    if (!early) check();
    early = false;
    return milliseconds;
  });
  return watch.stop;
}
