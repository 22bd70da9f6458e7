/** Whether the page is seen, and looking at something for as long as it is. */

export interface Watch {
  /** Looks at once, or once more if it is being looked at this moment. */
  now(): void;
  stop(): void;
}

/**
 * Looks at once, and again so many milliseconds after each look as that resolved with. Not while
 * the page is hidden; at once when it is seen again.
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

/**
 * Looks whenever so many milliseconds have passed while the page is seen; at once when it is seen
 * again. Returns how to stop.
 */
export function every(milliseconds: number, look: () => void): () => void {
  let early = !document.hidden;
  const watching = watchWhileVisible(async () => {
    if (!early) look();
    early = false;
    return milliseconds;
  });
  return watching.stop;
}
