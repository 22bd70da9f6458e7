import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readStored, watchStored, writeStored } from '../../../../src/platform/storage/storage';
import { breakStorage } from '../../../support/app/broken-storage';

const test = suite('storage');
const { warn } = console;
test.before.each(() => {
  console.warn = () => {};
});
test.after.each(() => {
  writeStored('kept', null);
  localStorage.clear();
  console.warn = warn;
});

test('what the browser does not keep is there until the page closes, and can be forgotten', () => {
  const mend = breakStorage();
  try {
    assert.is(writeStored('kept', 'one'), false);
    assert.is(readStored('kept'), 'one');
    writeStored('kept', null);
    assert.is(readStored('kept'), null);
  } finally {
    mend();
  }
});

test('a value that can be kept again counts, and not the one that was held while nothing could be', () => {
  const mend = breakStorage();
  writeStored('kept', 'one');
  mend();
  assert.is(writeStored('kept', 'two'), true);
  assert.is(readStored('kept'), 'two');
  assert.is(localStorage.getItem('kept'), 'two');
  localStorage.setItem('kept', 'three'); // by another tab
  assert.is(readStored('kept'), 'three');
});

test('another tab that writes a value, or clears everything, is heard, also by a page that Back brings again; one that writes something else is not', () => {
  let heard = 0;
  watchStored('kept', () => heard++);
  dispatchEvent(new StorageEvent('storage', { key: 'other' }));
  assert.is(heard, 0);
  dispatchEvent(new StorageEvent('storage', { key: 'kept' }));
  assert.is(heard, 1);
  dispatchEvent(new StorageEvent('storage', { key: null }));
  assert.is(heard, 2);
  dispatchEvent(new Event('pageshow')); // it slept: no other event tells it
  assert.is(heard, 3);
});

test.run();
