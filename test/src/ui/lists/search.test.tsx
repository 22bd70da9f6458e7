import { useState } from 'react';
import * as assert from 'uvu/assert';
import { Search } from '../../../../src/ui/lists/Search';
import {
  clock,
  fireEvent,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';

const test = screenSuite('search');

let searches: string[] = [];
test.before.each(() => void (searches = []));

/** The component keeps its search in the address, as lists do. */
function AddressSearch() {
  const [value, setValue] = useState('');
  function search(query: string) {
    searches.push(query);
    setValue(query);
  }
  return (
    <>
      <Search label="Search" value={value} onSearch={search} />
      <button type="button" onClick={() => setValue('back')}>
        Back
      </button>
      <p>Of {value}</p>
    </>
  );
}

const field = () => screen.getByRole<HTMLInputElement>('searchbox');
const type = (text: string) => fireEvent.input(field(), { target: { value: text } });

test('keeps a trailing space in the field, without searching for it', async () => {
  showScreen(<AddressSearch />, '/');
  type('fire ');
  await clock.advance(250);
  assert.equal(searches, ['fire']);
  await screen.findByText('Of fire');
  assert.is(field().value, 'fire ');
});

test('shows a search set from outside, and drops the typed text', async () => {
  showScreen(<AddressSearch />, '/');
  type('fi');
  screen.getByRole('button').click();
  await waitFor(() => assert.is(field().value, 'back'));
  await clock.advance(250);
  assert.equal(searches, []);
});

test.run();
