/** Which version of the app this page is. */
import { signal } from '@preact/signals-react';
import { onTakeover } from '../platform/worker';

/**
 * True once a newer worker has taken over: this page is still the old version and should start
 * again, once.
 */
export const updated = signal(false);
onTakeover((newer) => {
  updated.value = newer;
});
