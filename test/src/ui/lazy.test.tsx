import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { lazy, codeLoadFailure } from '../../../src/ui/lazy';
import { screen, screenSuite, showScreen } from '../../support/app/app';

const test = screenSuite('lazy');
const { recover } = codeLoadFailure;
test.after.each(() => {
  codeLoadFailure.recover = recover;
});

const Page = () => <p>The page</p>;

/** Code that fails to load this many times. */
function loadAfterFailures(failures: number) {
  let callCount = 0;
  const Lazy = lazy(
    () =>
      callCount++ < failures
        ? Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
        : Promise.resolve(Page),
    <p>Wait</p>,
  );
  return { Lazy, asked: () => callCount };
}

test('shows a placeholder until the code loads, once', async () => {
  const { Lazy, asked } = loadAfterFailures(0);
  await Lazy.preload();
  showScreen(<Lazy />, '/');
  assert.ok(screen.getByText('The page'));
  assert.is(asked(), 1);
});

test('reports missing code, and retries at the next visit', async () => {
  codeLoadFailure.recover = () => Promise.reject(); // src/app.tsx has set another, if an earlier test loaded it
  const { Lazy } = loadAfterFailures(1);
  showScreen(<Lazy />, '/');
  assert.ok(screen.getByText('Wait'));
  assert.match(
    (await screen.findByRole('alert')).textContent ?? '',
    'This page couldn’t be loaded.',
  );
  cleanup();
  showScreen(<Lazy />, '/');
  await screen.findByText('The page');
});

test('shows the app’s explanation of missing code', async () => {
  codeLoadFailure.recover = async () => 'You’re offline.';
  const { Lazy } = loadAfterFailures(1);
  showScreen(<Lazy />, '/');
  assert.is((await screen.findByRole('alert')).textContent, 'You’re offline. Reload');
});

test('stays quiet while the page restarts for missing code', async () => {
  codeLoadFailure.recover = () => new Promise(() => {});
  const { Lazy } = loadAfterFailures(1);
  showScreen(<Lazy />, '/');
  await Lazy.preload().then(() => Lazy.preload());
  assert.ok(screen.getByText('Wait'));
  assert.is(screen.queryByRole('alert'), null);
});

test.run();
