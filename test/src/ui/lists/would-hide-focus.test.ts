import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wouldHideFocus } from '../../../../src/ui/lists/keep-scroll';

const test = suite('focus and scrolling');

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
  assert.is(wouldHideFocus(41), true);
  assert.is(wouldHideFocus(40), false);
  assert.is(wouldHideFocus(-200), false);
  focusAt(-10);
  assert.is(wouldHideFocus(200), false, 'it was out of sight before');
});

test('keeps a focused heading', () => {
  focusAt(40, -1);
  assert.is(wouldHideFocus(200), false);
  document.body.replaceChildren();
  assert.is(wouldHideFocus(200), false);
});

test.run();
