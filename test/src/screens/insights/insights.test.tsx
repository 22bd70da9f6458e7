import * as assert from 'uvu/assert';
import { Insights } from '../../../../src/screens/insights/Insights';
import type { InsightDay, Insights as InsightsResponse } from '../../../../src/state/insights';
import {
  button,
  chooseOption,
  fakeApi,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';
import { createTopic, topicPages } from '../../../support/app/factories/people';
import { createTeam, teamPages } from '../../../support/app/factories/teams';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('insights');
test.before.each(() => {
  signInAs('ADMIN');
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(4, { title: 'Storm' })]));
});
test.after.each(endSession);

const READ = 'GET /api/admin/insights';
const NO_COUNTS = { messages: null, recipients: null, displayed: null, read: null, asked: null };
const createDay = (day: string, change: Partial<InsightDay> = {}): InsightDay => ({
  ...{ day, ...NO_COUNTS, acknowledged: null, prompt: null, medianSeconds: null, p95Seconds: null },
  ...{ reachable: null, people: null, ...change },
});
const ANSWERED = { asked: 10, acknowledged: 8, prompt: 6, medianSeconds: 4, p95Seconds: 40 };
const week = (...changes: Partial<InsightDay>[]): InsightDay[] =>
  changes.map((change, nth) => createDay(`2026-11-${10 + nth}`, change));

async function openInsights(body: Partial<InsightsResponse>): Promise<void> {
  fakeApi.reply(READ, { days: [], makes: [], medianSeconds: null, p95Seconds: null, ...body });
  showScreen(<Insights />, '/admin/insights');
  await waitFor(() => assert.is(document.querySelector('.skeleton'), null));
}
const chartImage = (name: RegExp): Element => screen.getByRole('img', { name });

test('draws a gap where nothing was recorded, and lists only days with data', async () => {
  const reach = { reachable: 30, people: 60 };
  await openInsights({
    days: week(reach, { ...ANSWERED, reachable: 45, people: 60 }, {}, reach),
    medianSeconds: 4,
    p95Seconds: 40,
    makes: [{ make: 'iPhone', devices: 10, late: 2, silent: 1 }],
  });
  const line = chartImage(/^Reachable people .* from 30 of 60 to 30 of 60\.$/).querySelector(
    '.area + *',
  );
  assert.is(line?.getAttribute('d'), 'M12.5,50 37.5,25M78.8,50 96.3,50');
  assert.equal(
    screen
      .getAllByRole('table')
      .map((table) => [...table.querySelectorAll('tbody tr')].map((row) => row.textContent)),
    [
      ['10 Nov3060', '11 Nov4560', '13 Nov3060'],
      ['11 Nov4 s40 s'],
      ['11 Nov622'],
      ['Apple107 · 2 · 1'],
    ],
  );
  assert.equal(
    [...document.querySelectorAll('.tally b')].map((number) => number.textContent),
    ['4 s', '40 s', '60%', '30 of 60'],
  );
});

test('says that there is no data yet, and never shows it as zero', async () => {
  await openInsights({ days: week({}, {}) });
  screen.getByText('No data yet');
  assert.is(document.querySelector('.tally'), null);
});

test('asks for the range and topic in the address, in the time zone of the device', async () => {
  await openInsights({ days: week({ reachable: 1, people: 2 }) });
  screen.getByText('No data', { selector: '.tally div:first-child small' });
  pressElement(screen.getByRole('radio', { name: '90 days' }));
  chooseOption(await screen.findByLabelText('Topic'), 'Storm');
  await waitFor(() => assert.is(location.search, '?days=90&topic=4'));
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  await waitFor(() =>
    assert.equal(fakeApi.requestsTo(READ).at(-1)?.query, { days: '90', topicId: '4', timeZone }),
  );
  fakeApi.reply('GET /api/admin/insights.csv', 'day\r\n');
  pressElement(button('Download as CSV'));
  await waitFor(() =>
    assert.is(fakeApi.requestsTo('GET /api/admin/insights.csv').at(-1)?.query.days, '90'),
  );
});

test('filters by a team instead of a topic', async () => {
  fakeApi.reply('GET /api/admin/teams', teamPages([createTeam(5, { name: 'North crew' })]));
  await openInsights({});
  await screen.findByRole('option', { name: 'North crew' });
  await screen.findByRole('option', { name: 'Storm' });
  chooseOption(screen.getByLabelText('Topic'), 'Storm');
  chooseOption(screen.getByLabelText('Team'), 'North crew');
  await waitFor(() => assert.is(location.search, '?team=5'));
  await waitFor(() => {
    const { teamId, topicId } = fakeApi.requestsTo(READ).at(-1)?.query ?? {};
    assert.equal([teamId, topicId], ['5', undefined]);
  });
});

test.run();
