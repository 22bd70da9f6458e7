/** Whether shortcuts of one key work on this device (WCAG 2.1.4). */
import { signal } from '@preact/signals-react';
import { readStored, writeStored } from '../platform/storage/storage';

const KEPT = 'shortcuts';

export const areShortcutsOn = signal(readStored(KEPT) !== 'off');

export function switchShortcuts(on: boolean): void {
  writeStored(KEPT, on ? null : 'off');
  areShortcutsOn.value = on;
}
