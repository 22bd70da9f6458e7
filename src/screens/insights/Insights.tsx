import { unitText } from '../../platform/unit-text';
import { useMemo } from 'react';
import {
  downloadInsights,
  INSIGHTS_EXPORT_FAILED,
  INSIGHTS_FAILED,
  readInsights,
  type InsightDay,
  type Insights as InsightsResponse,
  type InsightsRequest,
} from '../../state/insights';
import { readAllTeams, TEAMS_FAILED } from '../../state/teams/teams';
import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import { Choice } from '../../ui/forms/Choice';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { percentText } from '../../ui/values/percent';
import { oneOf, useListAddress } from '../lists/list-address';
import { Download } from '../lists/Download';
import { IdFilter, parseIdFilter } from '../lists/IdFilter';
import { useLoad } from '../lists/use-load';
import { Tile } from '../lists/Tile';
import { dayText } from '../../ui/values/Day';
import { AnswersChart, DelayChart, ReachChart } from './Charts';
import { PhoneMakes } from './PhoneMakes';
import { SlowestTopics } from './SlowestTopics';
import { insightSecondsText } from './seconds-text';

const daysText = (days: number): string =>
  LANGUAGE === 'en' ? `${days} days` : unitText(days, 'day');

const INSIGHTS_ADDRESS_RULES = {
  days: oneOf('7', '90'),
  topic: parseIdFilter,
  team: parseIdFilter,
};
type Range = '7' | '30' | '90';
const RANGES: readonly (readonly [Range, string])[] = [
  ['7', daysText(7)],
  ['30', daysText(30)],
  ['90', daysText(90)],
];

/** How messages arrived over time. */
export function Insights() {
  const { parts, change } = useListAddress(INSIGHTS_ADDRESS_RULES);
  const { days, topic } = parts;
  const team = topic ? '' : parts.team;
  const request = useMemo<InsightsRequest>(
    () => ({
      days: days === '7' ? 7 : days === '90' ? 90 : 30,
      topicId: topic ? Number(topic) : undefined,
      teamId: team ? Number(team) : undefined,
    }),
    [days, topic, team],
  );
  const { value, failure, retry } = useLoad(request, readInsights, INSIGHTS_FAILED);
  useKeepFocus(failure);
  return (
    <>
      <div className="bar">
        <Heading>Insights</Heading>
        {value && (
          <Download
            name="insights.csv"
            variant="plain"
            failed={INSIGHTS_EXPORT_FAILED}
            read={() => downloadInsights(request)}
          >
            <Icon name="download" />
            Download as CSV
          </Download>
        )}
      </div>
      <search className="bar">
        <fieldset>
          <Choice
            legend="Range"
            name="days"
            options={RANGES}
            value={String(request.days) as Range}
            onChoose={(range) => change({ days: range })}
          />
        </fieldset>
        {/* A topic and a team exclude each other. */}
        <IdFilter
          label="Topic"
          name="topic"
          all="All topics"
          read={readAllTopics}
          failed={TOPICS_FAILED}
          value={topic}
          onChoose={(chosen) => change({ topic: chosen, team: '' })}
        />
        <IdFilter
          label="Team"
          name="team"
          all="All teams"
          read={readAllTeams}
          failed={TEAMS_FAILED}
          value={team}
          onChoose={(chosen) => change({ team: chosen, topic: '' })}
        />
      </search>
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {value ? <ShownInsights insights={value} /> : !failure && <Skeleton />}
    </>
  );
}

function ShownInsights({ insights }: { insights: InsightsResponse }) {
  const { days, makes, slowest = [] } = insights;
  const isEmpty = days.every(({ messages, reachable }) => messages === null && reachable === null);
  if (isEmpty && makes.length === 0)
    return (
      <EmptyList
        icon="chart"
        title="No data yet"
        hint="Messages appear here within an hour. Reachable people are counted once a day."
      />
    );
  return (
    <>
      <Summary insights={insights} />
      <div className="charts cols">
        <ReachChart days={days} />
        <DelayChart days={days} />
        <AnswersChart days={days} />
        <PhoneMakes makes={makes} />
        {slowest.length > 0 && <SlowestTopics topics={slowest} />}
      </div>
      <p className="note">
        Delivery times start when the push service accepts the message and end when the phone
        displays it, not when the person sees it. Phones that never report back aren’t counted.
      </p>
    </>
  );
}

const sumDays = (days: readonly InsightDay[], name: 'asked' | 'prompt'): number =>
  days.reduce((sum, day) => sum + (day[name] ?? 0), 0);

/** The range in four numbers. */
function Summary({
  insights: { days, medianSeconds, p95Seconds },
}: {
  insights: InsightsResponse;
}) {
  const askedCount = sumDays(days, 'asked');
  const reach = days.filter(({ reachable }) => reachable !== null).at(-1);
  return (
    <div className="panel tally">
      <Tile icon="clock" label="Half arrive within" detail="Median, push service to screen">
        {medianSeconds !== null && insightSecondsText(medianSeconds)}
      </Tile>
      <Tile icon="clock" label="95% arrive within" detail="95th percentile">
        {p95Seconds !== null && insightSecondsText(p95Seconds)}
      </Tile>
      <Tile icon="check" label="Answered within 5 min" detail="Of people asked">
        {askedCount > 0 && percentText(sumDays(days, 'prompt') / askedCount)}
      </Tile>
      <Tile
        icon="shield"
        label="Reachable"
        detail={reach ? `On ${dayText(`${reach.day}T00:00`)}, counted once a day` : ''}
      >
        {reach !== undefined && (
          <>
            {reach.reachable?.toLocaleString()} <small>of {reach.people?.toLocaleString()}</small>
          </>
        )}
      </Tile>
    </div>
  );
}
