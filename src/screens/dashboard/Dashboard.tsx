import { useEffect } from 'react';
import { Link } from 'wouter';
import { every } from '../../platform/visibility';
import { OVERVIEW_FAILED, readSummary, type Summary } from '../../state/overview';
import { amount } from '../../ui/lists/Pager';
import { lazy } from '../../ui/lazy';
import { Failure, Heading, Skeleton, useFocusKept } from '../../ui/page';
import { useLoad } from '../lists/load';
import { isNew } from './steps-done';
import { Health } from './Health';
import { LastMessages } from './LastMessages';
import type { Overview } from '../../shared/contract';

/** Loaded only on new installations. */
const FirstSteps = lazy(() => import('./FirstSteps').then((module) => module.FirstSteps));

const CARDS = [
  [
    '/admin/users',
    'Manage Users',
    'Add people, share registration links and choose their topics.',
    'user',
  ],
  [
    '/admin/topics',
    'Manage Topics',
    'Create topics, see who’s subscribed and send to everyone.',
    'topic',
  ],
] as const;

/** How often to refresh while it is visible. */
const AGAIN_MS = 15_000;

/** The administrator's start page; on a new installation with first steps. */
export function Dashboard() {
  const { value, failure, reload } = useLoad('', readWhole, OVERVIEW_FAILED);
  useEffect(() => every(AGAIN_MS, reload), []);
  useFocusKept(failure);
  const overview = value?.overview;
  const first = overview && isNew(overview);
  return (
    <>
      <div className="bar">
        <Heading>Dashboard</Heading>
        {!first && (
          <Link className="press full" href="/admin/messages/new">
            New message
          </Link>
        )}
      </div>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {first && <FirstSteps overview={overview} reload={reload} />}
      {overview && !first && <Reached {...overview} />}
      {(value || failure) && <Cards counts={first ? {} : countsOf(value)} />}
      {!value && !failure && <Skeleton />}
      {value && !first && (
        <div className={overview ? 'twin' : undefined}>
          <LastMessages messages={value.messages} />
          {overview && <Health overview={overview} />}
        </div>
      )}
    </>
  );
}

/** Loads the code for the first steps too, so that nothing moves later. */
async function readWhole(): Promise<Summary> {
  const summary = await readSummary();
  if (summary.overview && isNew(summary.overview)) await FirstSteps.preload();
  return summary;
}

/** Such as `60 users` and ` · 6 have not registered`. */
type Counts = Partial<Record<(typeof CARDS)[number][3], readonly [string, string]>>;

function countsOf(value: Summary | undefined): Counts {
  const { users, topics, overview } = value ?? {};
  const pending = overview?.people.pending ?? 0;
  const unheard = overview?.topics.withoutSubscribers ?? 0;
  return {
    ...(users !== undefined && {
      user: [
        amount(users, 'user'),
        pending > 0
          ? ` · ${pending.toLocaleString()} ${pending === 1 ? 'hasn’t' : 'haven’t'} registered`
          : '',
      ],
    }),
    ...(topics !== undefined && {
      topic: [
        amount(topics, 'topic'),
        unheard > 0 ? ` · ${unheard.toLocaleString()} without subscribers` : '',
      ],
    }),
  };
}

const Cards = ({ counts }: { counts: Counts }) => (
  <div className="cols">
    {CARDS.map(([to, name, about, noun]) => (
      <Link key={to} className="panel pad card" href={to}>
        <h2>{name}</h2>
        <p className="muted">{about}</p>
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

function Reached({ people: { total, reachable } }: Overview) {
  const missing = total - reachable;
  return (
    <div className="note bar" data-tone={missing > 0 ? 'warn' : 'ok'} role="status">
      <span>
        <b>
          {reachable.toLocaleString()} of {amount(total, 'person')} {reachable === 1 ? 'is' : 'are'}{' '}
          reachable.
        </b>
        {missing > 0 &&
          ` ${amount(missing, 'person')} ${missing === 1 ? 'isn’t' : 'aren’t'} reachable yet.`}
      </span>
      {missing > 0 && (
        <Link className="alone" href="/admin/reach">
          See who
        </Link>
      )}
    </div>
  );
}
