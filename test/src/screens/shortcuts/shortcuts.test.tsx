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
const elsewhere = () => screen.getByRole('button', { name: 'Elsewhere' });
/** Returns whether the browser would type it. */
function hit(key: string, held: KeyboardEventInit = {}, at: Element = elsewhere()): boolean {
  const event = createEvent.keyDown(at, { key, ...held });
  fireEvent(at, event);
  return !event.defaultPrevented;
}

test('focuses the search without typing the slash, and begins a message', () => {
  open();
  assert.is(hit('/'), false);
  assert.is(document.activeElement, screen.getByRole('searchbox'));
  hit('n');
  assert.is(location.pathname, '/admin/messages/new');
});

test('does nothing in a field, in a dialog, or with a held key', async () => {
  open();
  const field = screen.getByRole('searchbox');
  for (const key of ['n', '/', '?']) assert.is(hit(key, {}, field), true, key);
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) hit('n', held);
  assert.is(screen.queryByRole('dialog'), null);
  hit('?', { shiftKey: true });
  await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  hit('n', {}, dialog().getByRole('button', { name: 'Close' }));
  assert.is(location.pathname, '/admin/users');
  pressInDialog('Close');
  await findNoDialog();
});

test('keeps what was typed into a form', () => {
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
  hit('n');
  assert.is(location.pathname, '/admin/users/import');
});

test('can be turned off in the dialog and on again in the account', async () => {
  open();
  hit('?');
  await screen.findByRole('dialog');
  pressElement(dialog().getByRole('switch', { name: 'Use shortcuts on this device' }));
  pressInDialog('Close');
  await findNoDialog();
  hit('n');
  hit('?');
  assert.is(location.pathname, '/admin/users');
  assert.is(screen.queryByRole('dialog'), null);
  assert.is(localStorage.getItem('shortcuts'), 'off');
  cleanup();
  showScreen(<ShortcutSection />, '/account');
  pressElement(screen.getByRole('switch'));
  assert.is(localStorage.getItem('shortcuts'), null);
});

test.run();
