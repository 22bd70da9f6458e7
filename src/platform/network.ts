/** Calls back when the device goes online. Returns how to stop. */
export function onReconnect(onConnected: () => void): () => void {
  addEventListener('online', onConnected);
  return () => removeEventListener('online', onConnected);
}

/** Calls back when the person returns to the page. Returns how to stop. */
export function onReturn(onBack: () => void): () => void {
  const events = ['focus', 'visibilitychange'];
  const reportReturn = () => document.hidden || onBack();
  for (const event of events) addEventListener(event, reportReturn);
  return () => {
    for (const event of events) removeEventListener(event, reportReturn);
  };
}
