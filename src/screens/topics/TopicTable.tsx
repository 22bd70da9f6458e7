import { useMemo, type MouseEvent } from 'react';
import { Link } from 'wouter';
import type { ListedTopic, Topic } from '../../shared/contract';
import { Icon, type IconName } from '../../ui/Icon';
import { MoreMenu } from '../../ui/MoreMenu';
import { dayElement } from '../../ui/values/Day';
import { peopleCount } from '../sent/message-texts';
import { GradualRows } from '../../ui/lists/GradualRows';
import { createHistoryEntry } from '../lists/list-address';
import {
  formatTopicOrder,
  parseTopicOrder,
  toggleSort,
  sortTopics,
  type TopicColumn,
  type TopicOrder,
} from './topic-order';

export type TopicAction = 'send' | 'subscribers' | 'keys' | 'edit' | 'delete';

const MORE_ACTIONS: readonly [
  TopicAction,
  word: string,
  labelOf: (title: string) => string,
  icon: IconName,
][] = [
  ['subscribers', 'Subscribers', (title) => `Subscribers of ${title}`, 'people'],
  ['keys', 'Keys', (title) => `Keys of ${title}`, 'link'],
  ['edit', 'Edit', (title) => `Edit ${title}`, 'edit'],
  ['delete', 'Delete', (title) => `Delete ${title}`, 'x'],
];

interface Props {
  rows: readonly ListedTopic[];
  /** See `parseTopicOrder`. */
  sort: string;
  onSort: (sort: string) => void;
  onAction: (action: TopicAction, topic: Topic) => void;
}

export function TopicTable({ rows, sort, onSort, onAction }: Props) {
  const order = parseTopicOrder(sort);
  const head = (by: TopicColumn, name: string) => (
    <SortedHead
      by={by}
      name={name}
      order={order}
      onSort={(chosen) => onSort(formatTopicOrder(chosen))}
    />
  );
  const topics = useMemo(() => sortTopics(rows, order), [rows, sort]);
  // Stays the same element until rows or order change, so other renderings skip it.
  const body = useMemo(() => <GradualRows rows={topics} draw={drawTopic} />, [topics]);
  /** One listener for all rows: two thousand take longer than the rows themselves. */
  function handleClick({ target }: MouseEvent<HTMLElement>) {
    const button = (target as HTMLElement).closest('button');
    const topic = topics[button?.closest('tr')?.sectionRowIndex ?? -1];
    if (button && topic) onAction(button.value as TopicAction, topic);
  }
  return (
    <div className="panel scroll">
      <table>
        <thead>
          <tr>
            {head('title', 'Topic Name')}
            <th scope="col">Description</th>
            {head('createdAt', 'Created At')}
            <th scope="col" className="actions">
              Actions
            </th>
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: its buttons are what is pressed */}
        <tbody onClick={handleClick}>{body}</tbody>
      </table>
    </div>
  );
}

const drawTopic = (topic: ListedTopic) => <TopicRow key={topic.id} topic={topic} />;

const TopicRow = ({
  topic: { id, title, description, createdAt, subscribers },
}: {
  topic: ListedTopic;
}) => (
  <tr>
    <th scope="row">
      <Link href={`/admin/topics/${id}`} state={createHistoryEntry(location.search)}>
        <bdi>{title}</bdi>
      </Link>
      {subscribers !== undefined && <small>{peopleCount(subscribers)}</small>}
    </th>
    <td>
      <bdi className="clamp">{description}</bdi>
    </td>
    <td data-label="Created At">{dayElement(createdAt)}</td>
    <td className="actions">
      <button
        type="button"
        className="quiet"
        value="send"
        aria-label={`Send notification to ${title}`}
      >
        Send
      </button>
      <MoreMenu itemName={title}>
        {MORE_ACTIONS.map(([action, word, labelOf, icon]) => (
          <li key={action} className={action === 'delete' ? 'last' : undefined}>
            <button type="button" className="quiet" value={action} aria-label={labelOf(title)}>
              <Icon name={icon} />
              {word}
            </button>
          </li>
        ))}
      </MoreMenu>
    </td>
  </tr>
);

function SortedHead({
  by,
  name,
  order,
  onSort,
}: {
  by: TopicColumn;
  name: string;
  order: TopicOrder;
  onSort: (order: TopicOrder) => void;
}) {
  return (
    <th
      scope="col"
      data-label="Sort by"
      aria-sort={order.by !== by ? 'none' : order.descending ? 'descending' : 'ascending'}
    >
      <button type="button" className="quiet" onClick={() => onSort(toggleSort(order, by))}>
        {name}
      </button>
    </th>
  );
}
