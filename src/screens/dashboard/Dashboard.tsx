import { useEffect } from 'react';
import { Link } from 'wouter';
import { watch } from '../../platform/visibility';
import { readOverview } from '../../state/overview';
import { FETCH_FAILED } from '../../state/sent';
import { amount } from '../../ui/Pager';
import { Heading } from '../../ui/page';
import { useLoad } from '../lists/load';
import { LastMessages } from './LastMessages';

const CARDS = [
  [
    '/admin/users',
    'Manage Users',
    'Add people, pass on their registration link, choose what each of them hears about.',
    'user',
  ],
  [
    '/admin/topics',
    'Manage Topics',
    'Create and edit topics, see who listens, send a message to everyone subscribed.',
    'topic',
  ],
] as const;

/** So often it is read again while somebody sees it. */
const AGAIN_MS = 30_000;

/** Where an administrator starts. */
export function Dashboard() {
  const overview = useLoad('', readOverview, FETCH_FAILED);
  const { value, reload } = overview;
  useEffect(() => {
    let first = true; // which `useLoad` reads itself
    const watching = watch(async () => {
      if (!first) reload();
      first = false;
      return AGAIN_MS;
    });
    return watching.stop;
  }, []);
  const counts = { user: value?.users, topic: value?.topics };
  return (
    <>
      <div className="bar">
        <Heading>Dashboard</Heading>
        <Link className="press full" href="/admin/messages/new">
          New message
        </Link>
      </div>
      <div className="cols">
        {CARDS.map(([to, name, about, noun]) => (
          <Link key={to} className="panel pad card" href={to}>
            <h2>{name}</h2>
            <p className="muted">{about}</p>
            {counts[noun] !== undefined && (
              <p>
                <b>{amount(counts[noun], noun)}</b>
              </p>
            )}
          </Link>
        ))}
      </div>
      <LastMessages overview={overview} />
    </>
  );
}
