import { cleanup } from '@testing-library/preact';
import { createEvent, fireEvent } from '@testing-library/dom';
import * as assert from 'uvu/assert';
import { ShortcutKeys } from '../../../../src/screens/shortcuts/ShortcutKeys';
import { ShortcutSection } from '../../../../src/screens/shortcuts/Shortcuts';
import { switchShortcuts } from '../../../../src/state/shortcuts';
import {
  dialog,
  findNoDialog,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
} from '../../../support/app/app';

const test = screenSuite('shortcuts');
test.after.each(() => switchShortcuts(true));

function open(): void {
  showScreen(
    <main>
      <input type="search" aria-label="Search" />
      <button type="button">Elsewhere</button>
      <ShortcutKeys />
    </main>,
    '/admin/users',
  );
}
const otherButton = () => screen.getByRole('button', { name: 'Elsewhere' });
/** Returns whether the browser would type it. */
function pressKey(key: string, held: KeyboardEventInit = {}, at: Element = otherButton()): boolean {
  const event = createEvent.keyDown(at, { key, ...held });
  fireEvent(at, event);
  return !event.defaultPrevented;
}

test('focuses the search without typing the slash, and begins a message', () => {
  open();
  assert.is(pressKey('/'), false);
  assert.is(document.activeElement, screen.getByRole('searchbox'));
  pressKey('n');
  assert.is(location.pathname, '/admin/messages/new');
});

test('does nothing in a field, in a dialog, or with a held key', async () => {
  open();
  const field = screen.getByRole('searchbox');
  for (const key of ['n', '/', '?']) assert.is(pressKey(key, {}, field), true, key);
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) pressKey('n', held);
  assert.is(screen.queryByRole('dialog'), null);
  pressKey('?', { shiftKey: true });
  await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  pressKey('n', {}, dialog().getByRole('button', { name: 'Close' }));
  assert.is(location.pathname, '/admin/users');
  pressInDialog('Close');
  await findNoDialog();
});

test('keeps the text typed into a form', () => {
  showScreen(
    <main>
      <form>
        <input aria-label="Name" />
      </form>
      <button type="button">Elsewhere</button>
      <ShortcutKeys />
    </main>,
    '/admin/users/import',
  );
  fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'x' } });
  pressKey('n');
  assert.is(location.pathname, '/admin/users/import');
});

test('can be turned off in the dialog and on again in the account', async () => {
  open();
  pressKey('?');
  await screen.findByRole('dialog');
  pressElement(dialog().getByRole('switch', { name: 'Use shortcuts on this device' }));
  pressInDialog('Close');
  await findNoDialog();
  pressKey('n');
  pressKey('?');
  assert.is(location.pathname, '/admin/users');
  assert.is(screen.queryByRole('dialog'), null);
  assert.is(localStorage.getItem('shortcuts'), 'off');
  cleanup();
  showScreen(<ShortcutSection />, '/account');
  pressElement(screen.getByRole('switch'));
  assert.is(localStorage.getItem('shortcuts'), null);
});

test.run();
