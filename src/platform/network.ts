/** Calls back when the device says that it is connected again. Returns how to stop. */
export function onReconnect(connected: () => void): () => void {
  addEventListener('online', connected);
  return () => removeEventListener('online', connected);
}
