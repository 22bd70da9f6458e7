import { useLayoutEffect } from 'react';
import * as assert from 'uvu/assert';
import { useSyncExternalStore } from '../../../../src/platform/react/router-deps';
import { cleanup, screen, screenSuite, showScreen, waitFor } from '../../../support/app/app';

const test = screenSuite('what the router takes from React');

function createStore() {
  const listeners = new Set<() => void>();
  let value = '/login';
  return {
    listeners,
    read: () => value,
    change(next: string) {
      value = next;
      for (const tell of listeners) tell();
    },
    subscribe(changed: () => void) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}

test('shows an address that changed before anyone listened, and each later one', async () => {
  const store = createStore();
  function Redirect() {
    useLayoutEffect(() => store.change('/'), []);
    return null;
  }
  function Place() {
    const path = useSyncExternalStore(store.subscribe, store.read);
    return (
      <p data-testid="place">
        {path}
        <Redirect />
      </p>
    );
  }
  showScreen(<Place />, '/');
  const shown = () => screen.getByTestId('place').textContent;
  await waitFor(() => assert.is(shown(), '/'));
  for (const path of ['/messages', '/settings']) {
    store.change(path);
    await waitFor(() => assert.is(shown(), path));
  }
  cleanup();
  await waitFor(() => assert.is(store.listeners.size, 0));
});

test.run();
