import * as assert from 'uvu/assert';
import { ClientPager } from '../../../../src/ui/lists/ClientPager';
import {
  button,
  cleanup,
  fireEvent,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import { signal } from '@preact/signals-react';

const test = screenSuite('rows a portion at a time');
const rowCount = signal(0);
const pageSize = signal(50);

function Rows() {
  const rows = Array.from({ length: rowCount.value }, (_, index) => index + 1);
  return (
    <ClientPager rows={rows} noun="entry" portion={pageSize.value}>
      {(some) => <p data-testid="shown">{`${some[0]} to ${some.at(-1)}`}</p>}
    </ClientPager>
  );
}
function open(rows: number): void {
  rowCount.value = rows;
  pageSize.value = 50;
  showScreen(<Rows />, '/');
}
const shownText = () => screen.getByTestId('shown').textContent;
const waitForText = (text: string) => waitFor(() => assert.is(shownText(), text));

test('pages through its rows, and stops at both ends', async () => {
  open(130);
  assert.is(shownText(), '1 to 50');
  assert.ok(screen.getByText('1–50 of 130 entries'));
  assert.equal([button('Previous').disabled, button('Next').disabled], [true, false]);
  const field = screen.getByRole<HTMLInputElement>('spinbutton');
  typeInto(field, '1'); // the typed page is replaced, too
  for (const [page, rows] of [
    ['2', '51 to 100'],
    ['3', '101 to 130'],
  ] as const) {
    pressElement(button('Next'));
    await waitForText(rows);
    await waitFor(() => assert.is(field.value, page));
  }
  assert.ok(screen.getByText('101–130 of 130 entries'));
  assert.equal([button('Previous').disabled, button('Next').disabled], [false, true]);
  pressElement(button('Previous'));
  await waitForText('51 to 100');
});

test('goes to a typed page; an invalid one becomes page 1', async () => {
  open(130);
  const field = screen.getByRole<HTMLInputElement>('spinbutton');
  for (const [typed, page, rows] of [
    ['3', '3', '101 to 130'],
    ['99', '3', '101 to 130'],
    ['-4', '1', '1 to 50'],
    ['2.9', '2', '51 to 100'],
    ['', '2', '51 to 100'],
  ]) {
    typeInto(field, typed!);
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitForText(rows!);
    assert.is(field.value, page);
  }
});

test('leaves an emptied last page, and keeps the first row in view for another size', async () => {
  open(130);
  for (const _ of [1, 2]) pressElement(button('Next'));
  pressElement(button('Next'));
  await waitForText('101 to 130');
  rowCount.value = 60;
  await waitForText('51 to 60');
  pageSize.value = 20;
  await waitForText('41 to 60');
  rowCount.value = 15;
  await waitForText('1 to 15');
  assert.is(screen.queryByRole('navigation'), null, 'one page needs no buttons');
  cleanup();
});

test.run();
