import { useState } from 'react';
import { CLIENT_PAGE_SIZE, ClientPager } from '../../ui/lists/ClientPager';
import { Search } from '../../ui/lists/Search';
import { createTextFilter } from '../../ui/lists/text-filter';
import { NoResults } from '../lists/Listing';

/** A topic, or a team. */
export interface Pickable {
  id: number;
  title: string;
  description: string;
}

interface Props {
  noun?: 'topic' | 'team';
  rows: readonly Pickable[];
  /** Ids, shown or not. */
  pickedIds: ReadonlySet<number>;
  onPick: (ids: readonly number[], isPicked: boolean) => void;
  /** Shows the search however few there are. */
  isSearchShown?: boolean;
}

/** Searches here, without the server, and picks all matches at once. */
export function Picker({ noun = 'topic', rows: allRows, pickedIds, onPick, isSearchShown }: Props) {
  const [query, setQuery] = useState('');
  const matches = createTextFilter(query);
  const matchingRows = allRows.filter(({ title }) => matches(title));
  const matchingIds = matchingRows.map(({ id }) => id);
  return (
    <>
      {(isSearchShown || allRows.length > CLIENT_PAGE_SIZE) && (
        <search className="bar">
          <Search label={noun === 'topic' ? 'Search Topics' : 'Search Teams'} onSearch={setQuery} />
          {query && matchingRows.length > 1 && (
            <label className="show">
              <input
                type="checkbox"
                checked={matchingIds.every((id) => pickedIds.has(id))}
                onChange={({ currentTarget }) => onPick(matchingIds, currentTarget.checked)}
              />
              Select all {matchingRows.length.toLocaleString()} results
            </label>
          )}
        </search>
      )}
      {matchingRows.length === 0 && <NoResults query={query} />}
      {matchingRows.length > 0 && (
        <ClientPager key={query} rows={matchingRows} noun={noun}>
          {(rows) => (
            <ul className="panel rows scroll pick">
              {rows.map((row) => (
                <li key={row.id}>
                  <PickerRow
                    row={row}
                    isPicked={pickedIds.has(row.id)}
                    onPick={(isPicked) => onPick([row.id], isPicked)}
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

function PickerRow({
  row: { id, title, description },
  isPicked,
  onPick,
}: {
  row: Pickable;
  isPicked: boolean;
  onPick: (isPicked: boolean) => void;
}) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isPicked}
        onChange={({ currentTarget }) => onPick(currentTarget.checked)}
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
