import { Link } from 'wouter';
import { Heading } from '../../ui/page';

const CARDS = [
  [
    '/admin/users',
    'Manage Users',
    'Add people, pass on their registration link, choose what each of them hears about.',
  ],
  [
    '/admin/topics',
    'Manage Topics',
    'Create and edit topics, see who listens, send a message to everyone subscribed.',
  ],
] as const;

/** Where an administrator starts. */
export function Dashboard() {
  return (
    <>
      <Heading>Dashboard</Heading>
      <div className="cols">
        {CARDS.map(([to, name, about]) => (
          <Link key={to} className="panel pad card" href={to}>
            <h2>{name}</h2>
            <p className="muted">{about}</p>
          </Link>
        ))}
      </div>
    </>
  );
}
