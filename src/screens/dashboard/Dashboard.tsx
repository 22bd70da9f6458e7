import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { repeatWhileVisible } from '../../platform/visibility';
import { INSIGHTS_FAILED, readInsights } from '../../state/insights';
import { OVERVIEW_FAILED, readSummary, type Summary } from '../../state/overview';
import { readReach } from '../../state/reach/reach-board';
import { Icon, type IconName } from '../../ui/Icon';
import { countedNoun } from '../../ui/lists/Pager';
import { lazy } from '../../ui/lazy';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { useLoad } from '../lists/use-load';
import { isNewInstallation } from './steps-done';
import { Health } from './Health';
import { Legend } from '../sent/Meter';
import { groupMessages, LastMessages, UrgentMessages } from './LastMessages';
import type { Overview } from '../../shared/contract';
import type { TrendData } from './Trend';

/** Loaded only on new installations. */
const FirstSteps = lazy(() => import('./FirstSteps').then((module) => module.FirstSteps));

const OpenAlarms = lazy(() =>
  import('../check-ins/OpenAlarms').then((module) => module.OpenAlarms),
);

/** These parts load with the charts, which are larger than the rest. */
const LazyKeyNumbers = lazy(() => import('./Trend').then((module) => module.KeyNumbers));
const Trend = lazy(() => import('./Trend').then((module) => module.Trend));
const Failing = lazy(() => import('./Trend').then((module) => module.FailingDevices));

const CARDS = [
  [
    '/admin/users',
    'Manage Users',
    'Add people, share registration links and choose their topics.',
    'user',
    'people',
  ],
  [
    '/admin/topics',
    'Manage Topics',
    'Create topics, see who’s subscribed and send to everyone.',
    'topic',
    'tag',
  ],
] as const satisfies readonly (readonly [...string[], IconName])[];

/** How often to refresh the visible dashboard. */
const RELOAD_EVERY_MS = 15_000;
/** How often to refresh the trend: the server summarizes once an hour. */
const TREND_RELOAD_MS = 15 * 60_000;

/** The administrator's start page; on a new installation with first steps. */
export function Dashboard() {
  const { value, failure, reload } = useLoad('', readDashboard, OVERVIEW_FAILED);
  const {
    value: trend,
    failure: trendFailure,
    reload: reloadTrend,
  } = useLoad('', readTrend, INSIGHTS_FAILED);
  const [alarmIds, setAlarmIds] = useState('');
  useEffect(() => repeatWhileVisible(RELOAD_EVERY_MS, reload), []);
  useEffect(() => repeatWhileVisible(TREND_RELOAD_MS, reloadTrend), []);
  useKeepFocus(failure);
  // All parts appear together, so that nothing moves later. The rest also appears without the
  // trend.
  const isReady = value && (trend || trendFailure);
  const overview = value?.overview;
  const isNew = overview && isNewInstallation(overview);
  return (
    <>
      <div className="bar">
        <Heading>Dashboard</Heading>
        {!(isNew && overview.people.total <= 1) && (
          <Link className="press full" href="/admin/messages/new">
            <Icon name="send" />
            New message
          </Link>
        )}
      </div>
      <OpenAlarms onShown={setAlarmIds} />
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!isReady && !failure && <Skeleton />}
      {!value && failure && <Cards counts={{}} />}
      {isReady && isNew && (
        <>
          <FirstSteps overview={overview} reload={reload} />
          <Cards counts={{}} />
        </>
      )}
      {isReady && !isNew && <Status summary={value} trend={trend} alarmIds={alarmIds} />}
    </>
  );
}

function Status({
  summary,
  trend,
  alarmIds,
}: {
  summary: Summary;
  trend: TrendData | undefined;
  /** Messages of alarms that the page shows already. */
  alarmIds: string;
}) {
  const { overview } = summary;
  const { help, waiting, others } = groupMessages(summary, alarmIds.split(','));
  const showsLast = others.length > 0 || summary.messages.length === 0;
  return (
    <>
      <UrgentMessages
        id="help"
        title="People need help"
        messages={help}
        allPath="/admin/messages?state=needs_help"
      />
      <UrgentMessages
        id="waiting"
        title="Waiting for answers"
        messages={waiting}
        allPath="/admin/messages?priority=urgent"
      />
      {overview && <ReachableTile {...overview} hasTile={trend !== undefined} />}
      {overview && trend && <LazyKeyNumbers people={overview.people} trend={trend} />}
      <div className="twin">
        <div>
          {trend && <Trend people={overview?.people} trend={trend} />}
          {showsLast && <LastMessages messages={others} />}
          <Legend messages={[...help, ...waiting, ...others]} />
        </div>
        <div>
          <Cards counts={getCardCounts(summary)} />
          {trend && <Failing trend={trend} />}
          {overview && <Health overview={overview} />}
        </div>
      </div>
    </>
  );
}

/** How many people with failing devices are named. */
const MAX_NAMED_PEOPLE = 3;

async function readTrend(): Promise<TrendData> {
  const [insights, failingPage] = await Promise.all([
    readInsights({ days: 30, topicId: undefined }),
    readReach({ page: 1, limit: MAX_NAMED_PEOPLE, query: '' }, { state: 'failing', topic: '' }),
    ...[LazyKeyNumbers, Trend, Failing].map((part) => part.preload()),
  ]);
  return { insights, failingPage };
}

/** Loads the code for the first steps too, so that nothing moves later. */
async function readDashboard(): Promise<Summary> {
  const summary = await readSummary();
  if (summary.overview && isNewInstallation(summary.overview)) await FirstSteps.preload();
  return summary;
}

/** Each card's count and remark, such as `60 users` and ` · 6 have not registered`. */
type Counts = Partial<Record<(typeof CARDS)[number][3], readonly [string, string]>>;

function getCardCounts({ users, topics, overview }: Summary): Counts {
  const pendingCount = overview?.people.pending ?? 0;
  const withoutSubscribers = overview?.topics.withoutSubscribers ?? 0;
  return {
    ...(users !== undefined && {
      user: [
        countedNoun(users, 'user'),
        pendingCount > 0
          ? ` · ${pendingCount.toLocaleString()} ${pendingCount === 1 ? 'hasn’t' : 'haven’t'} registered`
          : '',
      ],
    }),
    ...(topics !== undefined && {
      topic: [
        countedNoun(topics, 'topic'),
        withoutSubscribers > 0
          ? ` · ${withoutSubscribers.toLocaleString()} without subscribers`
          : '',
      ],
    }),
  };
}

const Cards = ({ counts }: { counts: Counts }) => (
  <div className="cols">
    {CARDS.map(([path, name, description, noun, icon]) => (
      <Link key={path} className="panel pad card" href={path}>
        <h2>
          <Icon name={icon} />
          {name}
        </h2>
        <p className="muted">{description}</p>
        {counts[noun] && (
          <p>
            <b>{counts[noun][0]}</b>
            {counts[noun][1]}
          </p>
        )}
      </Link>
    ))}
  </div>
);

/** The sentence does not repeat the tile below it. */
function ReachableTile({ people: { total, reachable }, hasTile }: Overview & { hasTile: boolean }) {
  const missingCount = total - reachable;
  if (hasTile && missingCount === 0) return null;
  const missingText =
    missingCount > 0 &&
    `${countedNoun(missingCount, 'person')} ${missingCount === 1 ? 'isn’t' : 'aren’t'} reachable yet.`;
  return (
    <div className="note bar" data-tone={missingText ? 'warn' : 'ok'} role="status">
      <span>
        {hasTile ? (
          <b>{missingText}</b>
        ) : (
          <>
            <b>
              {reachable.toLocaleString()} of {countedNoun(total, 'person')}{' '}
              {reachable === 1 ? 'is' : 'are'} reachable.
            </b>{' '}
            {missingText}
          </>
        )}
      </span>
      {missingText && (
        <Link className="alone" href="/admin/reach">
          See who
        </Link>
      )}
    </div>
  );
}
