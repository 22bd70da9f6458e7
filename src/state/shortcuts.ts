/** Whether shortcuts of one key work on this device (WCAG 2.1.4). */
import { signal } from '@preact/signals-react';
import { readStored, writeStored } from '../platform/storage/storage';

const SHORTCUTS_STORAGE_KEY = 'shortcuts';

export const areShortcutsOn = signal(readStored(SHORTCUTS_STORAGE_KEY) !== 'off');

export function switchShortcuts(isOn: boolean): void {
  writeStored(SHORTCUTS_STORAGE_KEY, isOn ? null : 'off');
  areShortcutsOn.value = isOn;
}
