/** What the insights add to the dashboard: tiles, the last 30 days, and failing devices. */
import { Link } from 'wouter';
import type { Overview } from '../../shared/contract';
import type { InsightDay, Insights } from '../../state/insights';
import type { ReachBoardPage } from '../../state/reach/reach-board';
import { countedNoun } from '../../ui/lists/Pager';
import { percentText } from '../../ui/values/percent';
import { isToday } from '../../ui/values/When';
import { ReachChart } from '../insights/Charts';
import { Tile } from '../lists/Tile';
import { dayText } from '../../ui/values/Day';
import { reachReason } from '../reach/reach-texts';

export interface TrendData {
  insights: Insights;
  failingPage: ReachBoardPage;
}

const WEEK_DAYS = 7;
const DAY_MS = 86_400_000;
const sumDays = (days: readonly InsightDay[], name: 'asked' | 'prompt' | 'messages'): number =>
  days.reduce((sum, day) => sum + (day[name] ?? 0), 0);

/** The current state in four numbers, which link to their screens. */
export function KeyNumbers({
  people: { total, reachable },
  trend: { insights, failingPage },
}: Pick<Overview, 'people'> & { trend: TrendData }) {
  const { days } = insights;
  const askedCount = sumDays(days, 'asked');
  const { total: rejectedCount } = failingPage;
  return (
    <nav className="panel tally" aria-label="At a glance">
      <Tile
        icon="shield"
        label="Reachable now"
        detail={comparisonText(reachable, days)}
        href="/admin/reach"
      >
        {reachable.toLocaleString()} <small>of {total.toLocaleString()}</small>
      </Tile>
      <Tile
        icon="check"
        label="Answered within 5 min"
        detail="Of people asked, last 30 days, counted hourly"
        href="/admin/insights"
      >
        {askedCount > 0 && percentText(sumDays(days, 'prompt') / askedCount)}
      </Tile>
      <Tile
        icon="send"
        label="Messages sent"
        detail="Last 7 days, counted hourly"
        href="/admin/messages"
      >
        {sumDays(days.slice(-WEEK_DAYS), 'messages').toLocaleString()}
      </Tile>
      <Tile
        icon="device"
        label="People with failing devices"
        detail={rejectedCount > 0 ? 'Devices rejected by the push service' : 'No devices rejected'}
        href="/admin/reach?state=failing"
      >
        {rejectedCount.toLocaleString()} <small>{rejectedCount === 1 ? 'person' : 'people'}</small>
      </Tile>
    </nav>
  );
}

/** Compares two days: `2 fewer than yesterday`. Empty text before the second day. */
function comparisonText(reachable: number, days: readonly InsightDay[]): string {
  const previousDays = days
    .slice(0, -1)
    .filter((previousDay) => previousDay.reachable !== null)
    .at(-1);
  if (!previousDays) return '';
  const increase = reachable - (previousDays.reachable ?? 0);
  const midnight = `${previousDays.day}T00:00`;
  const dayAfter = new Date(Date.parse(`${previousDays.day}T12:00`) + DAY_MS);
  const difference = Math.abs(increase).toLocaleString();
  if (isToday(dayAfter)) {
    if (increase === 0) return 'No change since yesterday';
    return increase > 0
      ? `${difference} more than yesterday`
      : `${difference} fewer than yesterday`;
  }
  const day = dayText(midnight);
  if (increase === 0) return `Same as on ${day}`;
  return increase > 0 ? `${difference} more than on ${day}` : `${difference} fewer than on ${day}`;
}

/** Today's recorded number may be old, so the chart shows the same number as the tile. */
export const Trend = ({
  people,
  trend: { insights },
}: {
  people?: Overview['people'] | undefined;
  trend: TrendData;
}) => (
  <ReachChart
    days={insights.days.map((day) =>
      people && isToday(new Date(`${day.day}T12:00`))
        ? { ...day, reachable: people.reachable, people: people.total }
        : day,
    )}
  />
);

/** The section is absent without failing devices. */
export const FailingDevices = ({ trend: { failingPage } }: { trend: TrendData }) =>
  failingPage.total > 0 && (
    <section className="flush" aria-labelledby="failing">
      <div className="bar">
        <h2 id="failing">Failing devices</h2>
        <Link className="alone" href="/admin/reach?state=failing">
          {failingPage.total > failingPage.rows.length
            ? `See all ${countedNoun(failingPage.total, 'person')}`
            : 'See what to do'}
        </Link>
      </div>
      <ul className="panel rows">
        {failingPage.rows.map((person) => (
          <li key={person.user.id}>
            <div>
              <span>
                <b>
                  <bdi>{person.user.username}</bdi>
                </b>{' '}
                <span>{reachReason(person)}</span>
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
