import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { open } from '../../sw/open';
import { FakeWindow, fakeWorld } from './world';

test('with no window open, a click opens the page that the message names', async () => {
  const { worker, opened } = fakeWorld();
  await open(worker, '/subscriptions');
  assert.equal(opened, ['https://bell.example/subscriptions']);
});

test('a window that already shows the page is preferred, focused, and left where it is', async () => {
  const other = new FakeWindow('https://bell.example/admin');
  const right = new FakeWindow('https://bell.example/subscriptions');
  right.listen = (_, port) => port?.postMessage(true);
  const { worker, opened } = fakeWorld(other, right);
  await open(worker, '/subscriptions');
  assert.is(right.focused, true);
  assert.is(other.focused, false);
  assert.equal(other.heard, []);
  assert.equal(opened, []);
});

test('a window that was opened at the page, and has gone elsewhere since, is asked to go there', async () => {
  const window = new FakeWindow('https://bell.example/subscriptions'); // Firefox goes on giving the first address
  window.listen = (_, port) => port?.postMessage(true);
  const { worker } = fakeWorld(window);
  await open(worker, '/subscriptions');
  assert.equal(window.heard, [{ type: 'open', path: '/subscriptions' }]);
});

test('a window that shows another page is focused and asked to go there, so that it can ask before losing what is typed', async () => {
  const window = new FakeWindow('https://bell.example/admin/topics');
  window.listen = (_, port) => port?.postMessage(true);
  const { worker, opened } = fakeWorld(window);
  await open(worker, '/subscriptions?from=push');
  assert.is(window.focused, true);
  assert.equal(window.heard, [{ type: 'open', path: '/subscriptions?from=push' }]);
  assert.is(window.url, 'https://bell.example/admin/topics');
  assert.equal(opened, []);
});

test('a window that does not answer is sent there', async () => {
  const window = new FakeWindow('https://bell.example/login');
  const { worker } = fakeWorld(window);
  await open(worker, '/subscriptions');
  assert.is(window.url, 'https://bell.example/subscriptions');
});

test('a window that does not answer, and is there already, is not loaded again', async () => {
  const window = new FakeWindow('https://bell.example/subscriptions');
  let loads = 0;
  window.navigate = async () => (loads++, window);
  const { worker } = fakeWorld(window);
  await open(worker, '/subscriptions');
  assert.is(window.focused, true);
  assert.is(loads, 0);
});

test('a window that the browser does not bring to the front goes there all the same', async () => {
  const window = new FakeWindow('https://bell.example/admin');
  window.focus = () => Promise.reject(new DOMException('Not allowed to focus a window.', 'InvalidAccessError'));
  window.listen = (_, port) => port?.postMessage(true);
  const { worker } = fakeWorld(window);
  await open(worker, '/subscriptions');
  assert.equal(window.heard, [{ type: 'open', path: '/subscriptions' }]);
});

for (const link of ['https://evil.example/', 'javascript:alert(1)', undefined]) {
  test(`a link of ${link} opens the home page`, async () => {
    const { worker, opened } = fakeWorld();
    await open(worker, link);
    assert.equal(opened, ['https://bell.example/']);
  });
}

test.run();
