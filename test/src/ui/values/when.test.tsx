import * as assert from 'uvu/assert';
import { timeText, untilText, waitText, When } from '../../../../src/ui/values/When';
import { screenSuite, show } from '../../../support/app/app';

const test = screenSuite('a moment with its day');

/** The same time of a day so many days from now: whatever the zone, and with or without summer time. */
function inDays(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(0, 5, 0, 0);
  return date.toISOString();
}
function text(iso: string, inside?: boolean): string {
  show(<When iso={iso} {...(inside ? { inside } : undefined)} />, '/');
  const shown = [...document.querySelectorAll('main')].at(-1)?.textContent ?? '';
  document.body.replaceChildren();
  return shown;
}

test('today, yesterday and tomorrow are words, smaller inside a sentence; other days are dates', () => {
  assert.is(text(inDays(0)), 'Today 00:05');
  assert.is(text(inDays(-1)), 'Yesterday 00:05');
  assert.is(text(inDays(1)), 'Tomorrow 00:05');
  assert.is(text(inDays(1), true), 'tomorrow 00:05');
  assert.match(text(inDays(2)), /^\d{1,2} \w{3} \d{4} 00:05$/);
  assert.match(text(inDays(-2), true), /^\d{1,2} \w{3} \d{4} 00:05$/);
});

test('a time stands alone only on its own day', () => {
  assert.is(timeText(Date.parse(inDays(0))), '00:05');
  assert.is(timeText(Date.parse(inDays(-1))), 'yesterday 00:05');
  assert.match(timeText(Date.parse(inDays(-2))), /^\d{1,2} \w{3} \d{4} 00:05$/);
  assert.is(timeText(Number.NaN), '-');
});

test('a text that is no moment is a dash', () => {
  for (const odd of ['', 'soon', undefined, 7, { toString: 1, valueOf: 1 }])
    assert.is(text(odd as string), '-');
});

test('until when something waits is told with the day of the week, unless it is today', () => {
  const weekday = (iso: string) => new Date(iso).toDateString().slice(0, 3);
  assert.is(untilText(inDays(0)), '00:05');
  assert.is(untilText(inDays(1)), `${weekday(inDays(1))} 00:05`);
  assert.is(untilText(inDays(6)), `${weekday(inDays(6))} 00:05`);
  assert.match(untilText(inDays(7)), /^\d{1,2} \w{3} \d{4} 00:05$/);
  assert.is(untilText('soon'), '-');
});

test('where it is less ahead than so many hours, the time says enough', () => {
  // At most 25 hours and five minutes: just after midnight, on the day on which summer ends.
  assert.is(untilText(inDays(1), 26), '00:05');
  assert.match(untilText(inDays(2), 24), /^\w{3} 00:05$/);
});

test('how many wait is told with the moment, if there is one', () => {
  assert.is(waitText(1, inDays(0)), 'waits until 00:05');
  assert.is(waitText(2, inDays(0)), 'wait until 00:05');
  for (const none of [null, undefined, 'soon', 7, { toString: 1, valueOf: 1 }])
    assert.is(waitText(2, none as string), 'wait');
});

test.run();
