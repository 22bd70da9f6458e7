/** Tests the build's replacement of `@preact/signals-react`. */
import { signal, type Signal } from '@preact/signals-react';
import * as assert from 'uvu/assert';
import { useRef, useState } from 'react';
import { act, screen, screenSuite, showScreen } from '../../../support/app/app';

const test = screenSuite('signals in components');

function Reader({ read }: { read: () => string }) {
  const renderings = useRef(0);
  return <p>{`${++renderings.current}: ${read()}`}</p>;
}
function setSignal<Value>(one: Signal<Value>, value: Value): void {
  void act(() => {
    one.value = value;
  });
}
const text = () => screen.getByText(/^\d+: /).textContent;

test('renders a component once when signals that it read change together', () => {
  const [first, second] = [signal('a'), signal('b')];
  showScreen(<Reader read={() => first.value + second.value} />, '/');
  assert.is(text(), '1: ab');
  void act(() => {
    first.value = 'c';
    second.value = 'd';
  });
  assert.is(text(), '2: cd');
});

test('does not render for a signal that the last rendering did not read', () => {
  const [first, second] = [signal('a'), signal('b')];
  let turn = () => {};
  const Turning = () => {
    const [turned, setTurned] = useState(false);
    turn = () => setTurned(true);
    return <Reader read={() => (turned ? second.value : first.value)} />;
  };
  showScreen(<Turning />, '/');
  setSignal(second, 'c');
  assert.is(text(), '1: a');
  void act(() => turn());
  setSignal(first, 'd');
  assert.is(text(), '2: c');
});

test('releases the signals of an unmounted component', () => {
  let isReleased = false;
  const isShown = signal(true);
  const read = signal('a', { unwatched: () => void (isReleased = true) });
  const Child = () => <p>{read.value}</p>;
  const Parent = () => <>{isShown.value && <Child />}</>;
  showScreen(<Parent />, '/');
  assert.not(isReleased);
  setSignal(isShown, false);
  assert.ok(isReleased);
});

test('shows a change although a state was set and reset at once', () => {
  const read = signal('a');
  let flip = () => {};
  const Busy = () => {
    const [, setBusy] = useState(false);
    flip = () => {
      setBusy(true);
      setBusy(false);
      read.value = 'b';
    };
    return <p>{read.value}</p>;
  };
  showScreen(<Busy />, '/');
  void act(() => flip());
  assert.ok(screen.getByText('b'));
});

test('follows a failed component when it is shown again', () => {
  const read = signal('');
  const Failing = () => {
    if (!read.value) throw new Error('nothing to show');
    return <p>{read.value}</p>;
  };
  assert.throws(() => showScreen(<Failing />, '/'), 'nothing to show');
  read.value = 'a';
  showScreen(<Failing />, '/');
  setSignal(read, 'b');
  assert.ok(screen.getByText('b'));
});

test.run();
