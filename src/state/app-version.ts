import { signal } from '@preact/signals-react';
import { onTakeover } from '../platform/worker';

/** True once a newer worker controls this page. The page then reloads once. */
export const hasNewVersion = signal(false);
onTakeover((isNewer) => {
  hasNewVersion.value = isNewer;
});
