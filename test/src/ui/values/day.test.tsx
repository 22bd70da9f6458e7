import * as assert from 'uvu/assert';
import { Day, dayText, dateFormats } from '../../../../src/ui/values/Day';
import { createFormats } from '../../../../src/ui/values/create-formats';
import { nearTextInside } from '../../../../src/screens/reach/near-times';
import { Moment } from '../../../../src/ui/values/When';
import { act, screen, screenSuite, showScreen } from '../../../support/app/app';

const test = screenSuite('days');
const NOON = new Date(2024, 10, 5, 12, 4);
test.before.each(() => void (dateFormats.value = null));
test.after.each(() => createFormats());

test('shows a day before the formats load, then in the reader’s language', async () => {
  showScreen(<Day iso={NOON.toISOString()} />, '/');
  assert.ok(screen.getByText('5 Nov 2024'));
  await act(() => createFormats('de'));
  assert.ok(screen.getByText('5. Nov. 2024'));
});

test('omits the current year unless a record needs it', () => {
  const year = new Date().getFullYear();
  const iso = new Date(year, 10, 5, 12, 4).toISOString();
  assert.equal([dayText(iso), dayText(iso, true)], ['5 Nov', `5 Nov ${year}`]);
  createFormats('de');
  assert.equal([dayText(iso), dayText(iso, true)], ['5. Nov.', `5. Nov. ${year}`]);
});

test('adds the day to a time on another day, in 24 hours', async () => {
  showScreen(<Moment time={NOON.getTime()} />, '/');
  assert.ok(screen.getByText('5 Nov 2024 12:04'));
  await act(() => createFormats('fi'));
  assert.ok(screen.getByText('5.11.2024 12.04'));
});

test('starts the day at 00, not 24', async () => {
  showScreen(<Moment time={new Date(2024, 10, 5, 0, 4).getTime()} />, '/');
  assert.ok(screen.getByText('5 Nov 2024 00:04'));
  await act(() => createFormats('en-US'));
  assert.ok(screen.getByText('Nov 5, 2024 00:04'));
});

test('shows invalid dates as a dash', () => {
  for (const garbage of ['', 'soon', null, undefined, 5, {}]) assert.is(dayText(garbage), '-');
  createFormats();
  assert.is(dayText('2024-13-40'), '-');
});

test('writes today small inside a sentence, but not the name of a month', () => {
  createFormats('en-US');
  assert.is(nearTextInside('2020-08-26T10:00:00.000Z'), 'Aug 26, 2020');
  assert.is(nearTextInside(new Date().toISOString(), false), 'today');
});

test.run();
