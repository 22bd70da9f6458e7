import { useState } from 'react';
import * as assert from 'uvu/assert';
import { Close, Dialog } from '../../../../src/ui/forms/Dialog';
import { DialogForm } from '../../../../src/ui/forms/DialogForm';
import { notify } from '../../../../src/ui/notices';
import { offerUndo } from '../../../../src/ui/undo';
import {
  cleanup,
  clock,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';

const test = screenSuite('dialog');
const real = Object.getOwnPropertyDescriptor(window, 'visualViewport');

/** A visual viewport that counts its listeners. */
class FakeView extends EventTarget {
  scale = 1;
  offsetTop = 0;
  listeners = 0;
  constructor(public height: number) {
    super();
    Object.defineProperty(window, 'visualViewport', { configurable: true, value: this });
  }
  override addEventListener(...given: Parameters<EventTarget['addEventListener']>): void {
    this.listeners++;
    super.addEventListener(...given);
  }
  override removeEventListener(...given: Parameters<EventTarget['removeEventListener']>): void {
    this.listeners--;
    super.removeEventListener(...given);
  }
  change(
    change: Partial<Pick<FakeView, 'height' | 'scale' | 'offsetTop'>>,
    event: 'resize' | 'scroll' = 'resize',
  ): void {
    Object.assign(this, change);
    this.dispatchEvent(new Event(event));
  }
}
test.after.each(() => {
  if (real) Object.defineProperty(window, 'visualViewport', real);
  else Reflect.deleteProperty(window, 'visualViewport');
});

async function open(): Promise<HTMLDialogElement> {
  showScreen(
    <Dialog title="Question" onClose={() => {}}>
      <input aria-label="Answer" />
      <Close onClose={() => {}} />
    </Dialog>,
    '/',
  );
  await clock.advance(0);
  return screen.getByRole<HTMLDialogElement>('dialog');
}
const sizeProperties = ({ style }: HTMLElement) => [
  style.getPropertyValue('--view'),
  style.getPropertyValue('--above'),
];

test('ends a dialog above the on-screen keyboard, every time', async () => {
  const view = new FakeView(740);
  const dialog = await open();
  assert.equal(sizeProperties(dialog), ['740px', '0px']);
  for (let time = 0; time < 2; time++) {
    view.change({ height: 380 });
    assert.equal(sizeProperties(dialog), ['380px', '0px']);
    view.change({ offsetTop: 120 }, 'scroll'); // as on iOS, which moves the visible part
    assert.equal(sizeProperties(dialog), ['380px', '120px']);
    view.change({ height: 740, offsetTop: 0 });
    assert.equal(sizeProperties(dialog), ['740px', '0px']);
  }
});

test('keeps the focused field in view when the keyboard shrinks the dialog', async () => {
  const view = new FakeView(740);
  await open();
  const scrolled: unknown[] = [];
  const field = screen.getByLabelText('Answer');
  field.scrollIntoView = (how) => void scrolled.push(how);
  view.change({ height: 380 });
  assert.equal(scrolled, [], 'without typing nothing moves');
  field.focus();
  view.change({ height: 370 });
  view.change({ offsetTop: 10 }, 'scroll');
  assert.equal(scrolled, [{ block: 'nearest' }]);
});

test('does not shrink a dialog when zoomed in', async () => {
  const view = new FakeView(800);
  const dialog = await open();
  view.change({ height: 200, scale: 4, offsetTop: 300 });
  assert.equal(sizeProperties(dialog), ['800px', '0px']);
});

test('listens to nothing after closing, every time', async () => {
  const view = new FakeView(740);
  for (let time = 0; time < 3; time++) {
    await open();
    assert.is(view.listeners, 2);
    cleanup();
    await waitFor(() => assert.is(view.listeners, 0));
  }
});

test('returns the focus when a dialog closes', async () => {
  const opener = document.body.appendChild(document.createElement('button'));
  opener.focus();
  const dialog = await open();
  dialog.querySelector('input')?.focus();
  assert.is.not(document.activeElement, opener);
  cleanup();
  await waitFor(() => assert.is(document.activeElement, opener)).finally(() => opener.remove());
});

test('keeps a notice and its state reachable while dialogs are open', async () => {
  let openDialogs: (titles: string[]) => void = () => {};
  function Page() {
    const [titles, setTitles] = useState<string[]>([]);
    openDialogs = setTitles;
    const dialogs = titles.map((title) => (
      <Dialog key={title} title={title} onClose={() => {}}>
        <p>Question</p>
      </Dialog>
    ));
    return [<h1 key="">Page</h1>, ...dialogs];
  }
  showScreen(<Page />, '/');
  notify(<input aria-label="Seconds" />);
  const field = await screen.findByLabelText<HTMLInputElement>('Seconds');
  const home = field.closest('.toasts');
  assert.ok(home);
  field.value = '3';
  offerUndo('Member removed.', () => {});
  const dialogOfField = () => field.closest('dialog')?.querySelector('h2')?.textContent;
  openDialogs(['First']);
  await waitFor(() => assert.is(dialogOfField(), 'First'));
  openDialogs(['First', 'Second']);
  await waitFor(() => assert.is(dialogOfField(), 'Second'));
  pressElement(await screen.findByRole('button', { name: 'Undo' }));
  assert.is(document.activeElement?.textContent, 'Second', 'the rest of the page is inert');
  openDialogs(['First']);
  await waitFor(() => assert.is(dialogOfField(), 'First'));
  openDialogs([]);
  await waitFor(() => assert.is(field.closest('.toasts'), home));
  assert.is(screen.getByLabelText<HTMLInputElement>('Seconds').value, '3');
});

test('shows dialogs in a browser without a visual viewport', async () => {
  Object.defineProperty(window, 'visualViewport', { configurable: true, value: undefined });
  assert.equal(sizeProperties(await open()), ['', '']);
});

test('puts a form’s buttons at the dialog’s foot', () => {
  showScreen(
    <DialogForm
      title="Question"
      action="Yes"
      busyText="Yes…"
      submit={async () => {}}
      explain={String}
      onClose={() => {}}
    >
      <input />
    </DialogForm>,
    '/',
  );
  const foot = document.querySelector('.foot');
  assert.is(foot, document.querySelector('dialog form')?.lastElementChild);
  assert.equal(
    [...(foot?.querySelectorAll('button') ?? [])].map(({ textContent }) => textContent),
    ['Cancel', 'Yes'],
  );
});

test.run();
