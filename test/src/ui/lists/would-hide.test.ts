import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wouldHide } from '../../../../src/ui/lists/keep-scroll';

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
  assert.is(wouldHide(41), true);
  assert.is(wouldHide(40), false);
  assert.is(wouldHide(-200), false);
  focusAt(-10);
  assert.is(wouldHide(200), false, 'it was out of sight before');
});

test('keeps a focused heading', () => {
  focusAt(40, -1);
  assert.is(wouldHide(200), false);
  document.body.replaceChildren();
  assert.is(wouldHide(200), false);
});

test('notices when scrolling would hide a card that must stay in view', () => {
  focusAt(-10);
  const card = document.createElement('div');
  card.dataset.keepInView = '';
  card.getBoundingClientRect = () => ({ top: 40 }) as DOMRect;
  document.body.append(card);
  assert.equal([wouldHide(41), wouldHide(40)], [true, false]);
});

test.run();
