import { useEffect, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { areShortcutsOn } from '../../state/shortcuts';
import { lazy } from '../../ui/lazy';

const ShortcutDialog = lazy(() => import('./Shortcuts').then((module) => module.ShortcutDialog));

const NEW_MESSAGE_PATH = '/admin/messages/new';
const INPUT_FIELDS = 'input, select, textarea, [contenteditable]';

/** Keys of administrators: to search, to write a message, and to list these keys. */
export function ShortcutKeys() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (!isShortcut(event)) return;
      const search = document.querySelector<HTMLElement>('main [type="search"]');
      if (event.key === '/' && search) {
        event.preventDefault(); // or the key would be typed there
        search.focus();
      }
      if (event.key === 'n' && location.pathname !== NEW_MESSAGE_PATH && !isTyped())
        navigate(NEW_MESSAGE_PATH);
      if (event.key === '?') setOpen(true);
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return open && <ShortcutDialog onClose={() => setOpen(false)} />;
}

/** Ignores keys in fields and dialogs, and key combinations of the browser. */
function isShortcut(event: KeyboardEvent): boolean {
  const { target, ctrlKey, metaKey, altKey, isComposing, repeat, defaultPrevented } = event;
  if (ctrlKey || metaKey || altKey || isComposing || repeat || defaultPrevented) return false;
  if (!areShortcutsOn.peek() || (target instanceof Element && target.closest(INPUT_FIELDS)))
    return false;
  return document.querySelector('dialog[open]') === null;
}

/** Whether leaving would lose entries of a form. */
const isTyped = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement>('main form :is(input, textarea)')].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );
