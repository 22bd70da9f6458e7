import * as assert from 'uvu/assert';
import { clearNotices, notify } from '../../../src/ui/notices';
import {
  act,
  button,
  clock,
  fireEvent,
  pressElement,
  screen,
  screenSuite,
  showScreen,
} from '../../support/app/app';

const test = screenSuite('notices');
const texts = () =>
  [...document.querySelectorAll('.toast .note')].map((note) =>
    note.textContent?.replace(/Close$/, ''),
  );
const showNotice = async (...given: Parameters<typeof notify>) => {
  let takeBack = (): void => {};
  await act(() => void (takeBack = notify(...given)));
  return takeBack;
};
const open = () => showScreen(<h1>Topics</h1>, '/');

test('closes each notice after its time, five seconds by default', async () => {
  open();
  await showNotice('First');
  await clock.advance(3000);
  await showNotice('Second', 'bad');
  await showNotice('Long', '', 10_000);
  assert.equal(texts(), ['First', 'Second', 'Long']);
  assert.equal(
    [...document.querySelectorAll<HTMLElement>('.toast .note')].map(({ dataset }) => dataset.tone),
    ['ok', 'bad', undefined],
  );
  await clock.advance(2000);
  assert.equal(texts(), ['Second', 'Long']);
  await clock.advance(3000);
  assert.equal(texts(), ['Long']);
  await clock.advance(5000);
  assert.equal(texts(), []);
});

test('keeps a notice while pointed at or focused, then for its whole time', async () => {
  open();
  await showNotice('Read me');
  const note = screen.getByText('Read me').closest('.note')!;
  for (const [enter, leave] of [
    [fireEvent.mouseEnter, fireEvent.mouseLeave],
    [fireEvent.focus, fireEvent.blur],
    [fireEvent.mouseEnter, fireEvent.mouseLeave],
  ] as const) {
    await clock.advance(4000);
    await act(() => void enter(note));
    await clock.advance(60_000);
    assert.equal(texts(), ['Read me']);
    await act(() => void leave(note));
  }
  await clock.advance(4999);
  assert.equal(texts(), ['Read me']);
  await clock.advance(1);
  assert.equal(texts(), []);
});

test('closes one notice by its button or owner, and shows none without content', async () => {
  open();
  const takeBack = await showNotice('First');
  await showNotice('');
  await showNotice('Second');
  await act(() => takeBack());
  assert.equal(texts(), ['Second']);
  await act(() => takeBack());
  await showNotice('Third');
  await act(() => pressElement(screen.getAllByRole('button', { name: 'Close notice' })[0]!));
  assert.equal(texts(), ['Third']);
  await act(() => clearNotices());
  assert.equal(texts(), []);
  await showNotice('Fourth');
  pressElement(button('Close notice'));
});

test.run();
