import { useState } from 'react';
import type { Topic } from '../../shared/contract';
import { PORTION, ClientPager } from '../../ui/ClientPager';
import { Search } from '../../ui/Search';
import { NothingFound } from '../lists/Listing';

interface Props {
  topics: readonly Topic[];
  /** The ids of those that are picked, shown or not. */
  picked: ReadonlySet<number>;
  onFlip: (id: number) => void;
}

/**
 * Any number of topics, each with its checkbox. More than a portion can be searched: it is all
 * here, so the server is not asked.
 */
export function TopicPicker({ topics, picked, onFlip }: Props) {
  const [query, setQuery] = useState('');
  const found = topics.filter(({ title }) =>
    title.toLocaleLowerCase().includes(query.toLocaleLowerCase()),
  );
  return (
    <>
      {topics.length > PORTION && (
        <search className="bar">
          <Search label="Search Topics" onSearch={setQuery} />
        </search>
      )}
      {found.length === 0 && <NothingFound query={query} />}
      {found.length > 0 && (
        <ClientPager rows={found} noun="topic">
          {(rows) => (
            <ul className="panel rows scroll pick">
              {rows.map((topic) => (
                <li key={topic.id}>
                  <Row
                    topic={topic}
                    picked={picked.has(topic.id)}
                    onFlip={() => onFlip(topic.id)}
                  />
                </li>
              ))}
            </ul>
          )}
        </ClientPager>
      )}
    </>
  );
}

function Row({
  topic: { id, title, description },
  picked,
  onFlip,
}: {
  topic: Topic;
  picked: boolean;
  onFlip: () => void;
}) {
  return (
    <label>
      <input
        type="checkbox"
        checked={picked}
        onChange={onFlip}
        aria-labelledby={`title-${id}`}
        aria-describedby={`about-${id}`}
      />
      <span>
        <b id={`title-${id}`}>
          <bdi>{title}</bdi>
        </b>
        <small id={`about-${id}`}>
          <bdi className="clamp">{description}</bdi>
        </small>
      </span>
    </label>
  );
}
