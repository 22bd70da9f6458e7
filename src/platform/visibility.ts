export interface Watch {
  /** Looks now, or once more if a look is in progress. */
  now(): void;
  stop(): void;
}

/**
 * Looks now, and again after as many ms as `look` resolved with. Pauses while the page is hidden.
 * @param look never rejects
 */
export function watchWhileVisible(look: () => Promise<number>): Watch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let looking = false;
  let again = false;
  async function turn(): Promise<void> {
    clearTimeout(timer);
    if (stopped || document.hidden) return;
    again = looking;
    if (looking) return;
    looking = true;
    const wait = await look();
    looking = false;
    if (again) return turn();
    if (!stopped && !document.hidden) timer = setTimeout(() => void turn(), wait);
  }
  const now = () => void turn();
  document.addEventListener('visibilitychange', now);
  now();
  return {
    now,
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', now);
    },
  };
}

/** Looks at intervals while the page is visible, and at once on return. Returns how to stop. */
export function repeatWhileVisible(milliseconds: number, look: () => void): () => void {
  let early = !document.hidden;
  const watching = watchWhileVisible(async () => {
    if (!early) look();
    early = false;
    return milliseconds;
  });
  return watching.stop;
}
