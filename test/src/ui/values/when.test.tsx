import * as assert from 'uvu/assert';
import { timeText, untilText, When } from '../../../../src/ui/values/When';
import { heldText } from '../../../../src/ui/lists/held-text';
import { screenSuite, showScreen } from '../../../support/app/app';

const test = screenSuite('a moment with its day');

/** The same local time in `days` days, across clock changes. */
function inDays(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(0, 5, 0, 0);
  return date.toISOString();
}
function text(iso: string, inside?: boolean): string {
  showScreen(<When iso={iso} {...(inside ? { inside } : undefined)} />, '/');
  const shown = [...document.querySelectorAll('main')].at(-1)?.textContent ?? '';
  document.body.replaceChildren();
  return shown;
}

test('writes today, yesterday and tomorrow in words, other days as dates', () => {
  assert.is(text(inDays(0)), 'Today 00:05');
  assert.is(text(inDays(-1)), 'Yesterday 00:05');
  assert.is(text(inDays(1)), 'Tomorrow 00:05');
  assert.is(text(inDays(1), true), 'tomorrow 00:05');
  assert.match(text(inDays(2)), /^\d{1,2} \w{3}( \d{4})? 00:05$/);
  assert.match(text(inDays(-2), true), /^\d{1,2} \w{3}( \d{4})? 00:05$/);
});

test('writes a time alone only on its own day', () => {
  assert.is(timeText(Date.parse(inDays(0))), '00:05');
  assert.is(timeText(Date.parse(inDays(-1))), 'yesterday 00:05');
  assert.match(timeText(Date.parse(inDays(-2))), /^\d{1,2} \w{3}( \d{4})? 00:05$/);
  assert.is(timeText(Number.NaN), '-');
});

test('shows invalid times as a dash', () => {
  for (const odd of ['', 'soon', undefined, 7, { toString: 1, valueOf: 1 }])
    assert.is(text(odd as string), '-');
});

test('writes the weekday of a waiting time unless it is today', () => {
  const weekday = (iso: string) => new Date(iso).toDateString().slice(0, 3);
  assert.is(untilText(inDays(0)), '00:05');
  assert.is(untilText(inDays(1)), `${weekday(inDays(1))} 00:05`);
  assert.is(untilText(inDays(6)), `${weekday(inDays(6))} 00:05`);
  assert.match(untilText(inDays(7)), /^\d{1,2} \w{3}( \d{4})? 00:05$/);
  assert.is(untilText('soon'), '-');
});

test('writes only the time within the given hours', () => {
  // 25 hours and five minutes at most: just after midnight when summer time ends.
  assert.is(untilText(inDays(1), 26), '00:05');
  assert.match(untilText(inDays(2), 24), /^\w{3} 00:05$/);
});

test('counts waiting people with the time, if known', () => {
  assert.is(heldText(3, inDays(0)), '3 held until 00:05');
  for (const none of [null, undefined, 'soon', 7, { toString: 1, valueOf: 1 }])
    assert.is(heldText(3, none as string), '3 held');
});

test.run();
