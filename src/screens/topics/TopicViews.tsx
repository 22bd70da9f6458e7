import { Link } from 'wouter';
import { cameFrom, createHistoryEntry } from '../lists/list-address';

const VIEWS = [
  ['', 'People'],
  ['/heartbeats', 'Heartbeats'],
] as const;

/** The screens of one topic. */
export const TopicViews = ({
  topicId,
  here,
}: {
  topicId: string;
  here: 'People' | 'Heartbeats';
}) => (
  <nav className="views" aria-label="Views">
    {VIEWS.map(([path, name]) => (
      <Link
        key={name}
        href={`/admin/topics/${topicId}${path}`}
        state={createHistoryEntry(cameFrom())}
        aria-current={name === here ? 'page' : undefined}
      >
        {name}
      </Link>
    ))}
  </nav>
);
