import * as assert from 'uvu/assert';
import { When } from '../../../src/ui/When';
import { screenSuite, show } from '../../support/app/app';

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

test('a text that is no moment is a dash', () => {
  for (const odd of ['', 'soon', undefined, 7, { toString: 1, valueOf: 1 }])
    assert.is(text(odd as string), '-');
});

test.run();
