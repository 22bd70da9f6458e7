/** What a test of a screen needs: the screen on a page, and a person's hands. */
import {
  cleanup,
  configure,
  createEvent,
  fireEvent,
  render,
  screen,
  waitFor,
  within,
} from '@testing-library/preact';
import type { ReactElement } from 'react';
import { suite } from 'uvu';
import { noteMovedButtons } from '../../../src/platform/second-tap';
import { currentPermission } from '../../../src/platform/push/notifications';
import { notificationPermission } from '../../../src/state/device/permission';
import { dateFormats } from '../../../src/ui/values/Day';
import { clearNotices, Notices } from '../../../src/ui/notices';
import { restoreBrowser } from './browser';
import { clock, ASYNC_TIMEOUT_MS } from './clock';
import { fakeApi } from './fake-api';
import { fakeInbox } from './fake-inbox';
import { teamPages } from './factories/teams';

export { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/preact';
export { clock } from './clock';
export { fakeApi } from './fake-api';

configure({
  asyncUtilTimeout: ASYNC_TIMEOUT_MS,
  // The library's own error prints the whole page as a tree, again at every look while it waits.
  getElementError: (message) =>
    new Error(
      `${message ?? 'Not found.'}\n\nOn the page: ${document.body.textContent?.slice(0, 2000)}`,
    ),
});

/**
 * A suite whose tests each have a fresh page, a backend that knows nothing yet but an empty inbox, no
 * policies and no teams, and a clock that stands still.
 */
export function screenSuite(name: string) {
  const test = suite(name);
  test.before.each(() => {
    clearNotices();
    dateFormats.value = null; // as on a page that is just there
    notificationPermission.value = currentPermission();
    fakeApi.install();
    fakeInbox.install(); // the frame asks for it wherever it is
    fakeApi.reply('GET /api/admin/policies', { policies: [] }); // and so does every form of a topic or message
    fakeApi.reply('GET /api/admin/teams', teamPages([])); // and what filters or finds people
    clock.install();
  });
  test.after.each(() => {
    cleanup();
    clock.remove();
    localStorage.clear();
    restoreBrowser();
    fakeApi.remove();
  });
  return test;
}

/**
 * Puts a screen on the page at this address, with the status region. `state` is
 * what the history keeps of it, as after a reload.
 */
export function showScreen(content: ReactElement, path: string, state: unknown = null): void {
  history.replaceState(state, '', path);
  const page = (
    <>
      <main id="main">{content}</main>
      <div className="toasts">
        <Notices />
        <Notices above />
      </div>
    </>
  );
  // The types are React's; what is rendered by is Preact.
  render(page as unknown as Parameters<typeof render>[0]);
}

/** The status region, which announces outcomes, or the one above for texts to copy. */
export const notices = (region = '.toast:not(.above)') =>
  within(document.querySelector<HTMLElement>(region) ?? document.body);

export const button = (name: string | RegExp) =>
  screen.getByRole<HTMLButtonElement>('button', { name });
export const findButton = (name: string | RegExp) =>
  screen.findByRole<HTMLButtonElement>('button', { name });
export const dialog = () => within(screen.getByRole('dialog'));

/** Presses a button, and waits for its dialog. */
export async function openDialog(name: string | RegExp): Promise<void> {
  pressElement(button(name));
  await screen.findByRole('dialog');
}
export const pressInDialog = (name: string | RegExp): void =>
  pressElement(dialog().getByRole('button', { name }));
export async function findNoDialog(): Promise<void> {
  await waitFor(() => {
    if (screen.queryByRole('dialog')) throw new Error('A dialog is open.');
  });
}

/**
 * Presses something that has been there for a while, as by mouse or keyboard: it takes the focus, as
 * in a browser, and nothing happens if it is disabled.
 */
export function pressElement(element: HTMLElement): void {
  noteMovedButtons(-Infinity);
  tapAgain(element);
}

/** The second tap of a double tap hits what is under the finger by then. */
export function tapAgain(element: HTMLElement): void {
  if ((element as HTMLButtonElement).disabled) return;
  element.focus();
  fireEvent.click(element);
}

/** Takes the focus from whatever has it. */
export function loseFocus(): void {
  const heading = document.querySelector('h1');
  heading?.focus();
  heading?.blur();
  if (document.activeElement !== document.body) throw new Error('Something has the focus.');
}

/** Replaces the text of a field. */
export function typeInto(field: HTMLElement, text: string): void {
  field.focus();
  fireEvent.input(field, { target: { value: text } });
}

export function chooseOption(list: HTMLElement, option: string): void {
  const { value } = within(list).getByRole<HTMLOptionElement>('option', { name: option });
  // Made by hand: `fireEvent.change` is another event wherever preact/compat is.
  fireEvent(list, createEvent.change(list, { target: { value } }));
}

/** Escape closes a modal dialog: the browser asks it to cancel, then closes it. */
export function pressEscape(): void {
  const open = screen.getByRole<HTMLDialogElement>('dialog');
  if (fireEvent(open, new Event('cancel', { cancelable: true }))) open.close();
}

/** The texts of a table, row by row, without its checkboxes and decoration. */
export const tableRows = (): string[][] =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].filter((cell) => !cell.querySelector('.tick')).map(textOf));

function textOf(cell: Element): string {
  const heardElement = cell.cloneNode(true) as Element;
  for (const seenElement of heardElement.querySelectorAll('.who')) seenElement.remove();
  return heardElement.textContent ?? '';
}
