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

test('holds unstorable values until the page closes, and erases them on request', () => {
  const repair = breakStorage();
  try {
    assert.is(writeStored('kept', 'one'), false);
    assert.is(readStored('kept'), 'one');
    writeStored('kept', null);
    assert.is(readStored('kept'), null);
  } finally {
    repair();
  }
});

test('prefers a stored value over one held while storage failed', () => {
  const repair = breakStorage();
  writeStored('kept', 'one');
  repair();
  assert.is(writeStored('kept', 'two'), true);
  assert.is(readStored('kept'), 'two');
  assert.is(localStorage.getItem('kept'), 'two');
  localStorage.setItem('kept', 'three');
  assert.is(readStored('kept'), 'three');
});

test('notices when another tab writes a value or clears storage, also after Back', () => {
  let heardCount = 0;
  watchStored('kept', () => heardCount++);
  dispatchEvent(new StorageEvent('storage', { key: 'other' }));
  assert.is(heardCount, 0);
  dispatchEvent(new StorageEvent('storage', { key: 'kept' }));
  assert.is(heardCount, 1);
  dispatchEvent(new StorageEvent('storage', { key: null }));
  assert.is(heardCount, 2);
  dispatchEvent(new Event('pageshow')); // the page slept, and no other event reports that
  assert.is(heardCount, 3);
});

test.run();
