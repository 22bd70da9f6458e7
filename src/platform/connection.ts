/** Whether there is a network at all, as far as the device knows. */
import { signal } from '@preact/signals-react';

/** False only where nothing can be sent: true does not promise that the server is there. */
export const connected = signal(navigator.onLine);

for (const event of ['online', 'offline'])
  addEventListener(event, () => {
    connected.value = navigator.onLine;
  });
