/** Calls back when the device says that it is connected again. Returns how to stop. */
export function onReconnect(connected: () => void): () => void {
  addEventListener('online', connected);
  return () => removeEventListener('online', connected);
}

/** Calls back whenever the person comes back to the page. */
export function onReturn(back: () => void): void {
  for (const event of ['focus', 'visibilitychange'])
    addEventListener(event, () => document.hidden || back());
}
