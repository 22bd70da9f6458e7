import { useMemo, useState, type MouseEvent } from 'react';
import type { Topic } from '../contract';
import { day } from '../ui/Day';
import { NEWEST_FIRST, press, sort, type Column, type Order } from './topic';
import type { TopicAction } from './Topics';

const ACTIONS: readonly [TopicAction, word: string, name: string][] = [
  ['send', 'Send', 'Send notification to'],
  ['subscribers', 'Subscribers', 'Subscribers of'],
  ['edit', 'Edit', 'Edit'],
  ['delete', 'Delete', 'Delete'],
];

/** The topics of one page, in the order that the person chose. */
export function TopicTable({ rows, onAct }: { rows: readonly Topic[]; onAct: (action: TopicAction, topic: Topic) => void }) {
  const [order, setOrder] = useState(NEWEST_FIRST);
  const head = (by: Column, name: string) => <SortedHead by={by} name={name} order={order} onSort={setOrder} />;
  const sorted = useMemo(() => sort(rows, order), [rows, order]);
  // The same element until rows or order change: the many renderings of what is around the rows cost nothing.
  const body = useMemo(() => <Rows topics={sorted} />, [sorted]);
  /** One listener for all rows: two thousand of them take longer than the rows themselves. */
  function act({ target }: MouseEvent<HTMLElement>) {
    const button = (target as HTMLElement).closest('button');
    const topic = sorted[button?.closest('tr')?.sectionRowIndex ?? -1];
    if (button && topic) onAct(button.value as TopicAction, topic);
  }
  return (
    <div className="panel scroll">
      <table>
        <thead>
          <tr>
            {head('title', 'Topic Name')}
            <th scope="col">Description</th>
            {head('createdAt', 'Created At')}
            <th scope="col" className="acts">
              Actions
            </th>
          </tr>
        </thead>
        <tbody onClick={act}>{body}</tbody>
      </table>
    </div>
  );
}

/** A component by itself, since Preact skips a component that it is given again, but no plain elements. */
const Rows = ({ topics }: { topics: readonly Topic[] }) =>
  topics.map((topic) => (
    <tr key={topic.id}>
      <th scope="row">
        <bdi>{topic.title}</bdi>
      </th>
      <td>
        <bdi className="clamp">{topic.description}</bdi>
      </td>
      <td data-label="Created At">{day(topic.createdAt)}</td>
      <td className="acts">
        {ACTIONS.map(([action, word, name]) => (
          <button key={action} type="button" className="quiet" value={action} aria-label={`${name} ${topic.title}`}>
            {word}
          </button>
        ))}
      </td>
    </tr>
  ));

function SortedHead({ by, name, order, onSort }: { by: Column; name: string; order: Order; onSort: (order: Order) => void }) {
  return (
    <th scope="col" aria-sort={order.by !== by ? 'none' : order.descending ? 'descending' : 'ascending'}>
      <button type="button" className="quiet" onClick={() => onSort(press(order, by))}>
        {name}
      </button>
    </th>
  );
}
