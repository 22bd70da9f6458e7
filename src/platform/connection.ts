import { signal } from '@preact/signals-react';

/** False if nothing can be sent. True does not promise that the server is reachable. */
export const isConnected = signal(navigator.onLine);

for (const event of ['online', 'offline'])
  addEventListener(event, () => {
    isConnected.value = navigator.onLine;
  });
