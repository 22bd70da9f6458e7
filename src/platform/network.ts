/** Calls back when the device goes online. Returns how to stop. */
export function onReconnect(connected: () => void): () => void {
  addEventListener('online', connected);
  return () => removeEventListener('online', connected);
}

/** Calls back when the person returns to the page. Returns how to stop. */
export function onReturn(back: () => void): () => void {
  const events = ['focus', 'visibilitychange'];
  const look = () => document.hidden || back();
  for (const event of events) addEventListener(event, look);
  return () => {
    for (const event of events) removeEventListener(event, look);
  };
}
