import { signal } from '@preact/signals-react';
import { onTakeover } from '../platform/worker';

/** True once a newer worker controls this page. The page then reloads once. */
export const updated = signal(false);
onTakeover((newer) => {
  updated.value = newer;
});
