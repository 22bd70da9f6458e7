import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from '../../ui/Icon';
import { Heading } from '../../ui/page';
import { previousListQuery, createHistoryEntry } from '../lists/list-address';

type View = 'People' | 'Keys' | 'Heartbeats';

interface Props {
  topicId: string;
  /** The topic is undefined while it loads. */
  title: string | undefined;
  view: View;
  /** Actions beside the heading. */
  children?: ReactNode;
}

/** The address of the list that led here. */
export const topicsAddress = () => `/admin/topics${previousListQuery()}`;

/** The heading of a topic's screens, with tabs for the others and a link to its messages. */
export function TopicHeader({ topicId, title, view, children }: Props) {
  const topicPath = `/admin/topics/${topicId}`;
  const views: [View, string][] = [
    ['People', topicPath],
    ['Keys', `${topicPath}/keys`],
    ['Heartbeats', `${topicPath}/heartbeats`],
  ];
  return (
    <>
      <Link className="back alone" href={topicsAddress()}>
        <Icon name="chevron" />
        Topics
      </Link>
      <div className="bar">
        <Heading>{title ?? 'Topic'}</Heading>
        {children}
      </div>
      <nav className="views" aria-label="Views">
        {views.map(([name, href]) => (
          <Link
            key={name}
            href={href}
            state={createHistoryEntry(previousListQuery())}
            aria-current={name === view ? 'page' : undefined}
          >
            {name}
          </Link>
        ))}
        <Link
          className="leads"
          href={`/admin/messages?topic=${topicId}`}
          state={createHistoryEntry(previousListQuery())}
        >
          Messages
        </Link>
      </nav>
    </>
  );
}
