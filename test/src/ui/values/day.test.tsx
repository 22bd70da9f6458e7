import * as assert from 'uvu/assert';
import { Day, dayText, formats } from '../../../../src/ui/values/Day';
import { learn } from '../../../../src/ui/values/learn';
import { Moment } from '../../../../src/ui/values/When';
import { act, screen, screenSuite, show } from '../../../support/app/app';

const test = screenSuite('days');
const NOON = new Date(2026, 10, 5, 12, 4);
test.before.each(() => void (formats.value = null));
test.after.each(() => learn());

test('a day is there before the browser has made its formats, and is then written as the reader does', async () => {
  show(<Day iso={NOON.toISOString()} />, '/');
  assert.ok(screen.getByText('5 Nov 2026'));
  await act(() => learn('de'));
  assert.ok(screen.getByText('5. Nov. 2026'));
});

test('a moment of another day has its day, and 24 hours, before and after', async () => {
  show(<Moment time={NOON.getTime()} />, '/');
  assert.ok(screen.getByText('5 Nov 2026 12:04'));
  await act(() => learn('fi'));
  assert.ok(screen.getByText('5.11.2026 12.04'));
});

test('the day begins at 00, not at 24', async () => {
  show(<Moment time={new Date(2026, 10, 5, 0, 4).getTime()} />, '/');
  assert.ok(screen.getByText('5 Nov 2026 00:04'));
  await act(() => learn('en-US'));
  assert.ok(screen.getByText('Nov 5, 2026 00:04'));
});

test('a text that is no date is a dash', () => {
  for (const garbage of ['', 'soon', null, undefined, 5, {}]) assert.is(dayText(garbage), '-');
  learn();
  assert.is(dayText('2026-13-40'), '-');
});

test.run();
