import { signal } from '@preact/signals-react';

/** False if nothing can be sent. True does not promise that the server is reachable. */
export const connected = signal(navigator.onLine);

for (const event of ['online', 'offline'])
  addEventListener(event, () => {
    connected.value = navigator.onLine;
  });
