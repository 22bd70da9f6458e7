import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { losesFocus } from '../../../../src/ui/lists/focus';

const test = suite('focus');

function focusAt(top: number, tabIndex = 0): void {
  const button = document.createElement('button');
  button.tabIndex = tabIndex;
  button.getBoundingClientRect = () => ({ top }) as DOMRect;
  document.body.replaceChildren(button);
  button.focus();
}

test.after.each(() => document.body.replaceChildren());

test('drops the focus only when scrolling hides it', () => {
  focusAt(40);
  assert.is(losesFocus(41), true);
  assert.is(losesFocus(40), false);
  assert.is(losesFocus(-200), false);
  focusAt(-10);
  assert.is(losesFocus(200), false, 'it was out of sight before');
});

test('keeps a focused heading', () => {
  focusAt(40, -1);
  assert.is(losesFocus(200), false);
  document.body.replaceChildren();
  assert.is(losesFocus(200), false);
});

test.run();
