import { useState, type KeyboardEvent } from 'react';
import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import { Empty, Failure, Skeleton } from '../../ui/page';
import { useLoad } from '../lists/use-load';
import { Picker } from '../selection/Picker';

interface Props {
  picked: ReadonlySet<number>;
  onPicked: (picked: ReadonlySet<number>) => void;
}

/** A new user's topics, which load once the field is opened. */
export function TopicsField({ picked, onPicked }: Props) {
  const [opened, setOpened] = useState(false);
  return (
    <details className="panel" onToggle={() => setOpened(true)}>
      <summary>
        Topics{' '}
        <span className="muted">
          {picked.size > 0 ? `(${picked.size.toLocaleString()} selected)` : '(optional)'}
        </span>
      </summary>
      {opened && <Topics picked={picked} onPicked={onPicked} />}
    </details>
  );
}

function Topics({ picked, onPicked }: Props) {
  const { value, failure, loading, reload } = useLoad('', readAllTopics, TOPICS_FAILED);
  const pick = (ids: readonly number[], isPicked: boolean) =>
    onPicked(
      new Set(isPicked ? [...picked, ...ids] : [...picked].filter((id) => !ids.includes(id))),
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps Enter in the search from adding the user
    <div onKeyDown={keepEnter}>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && loading && <Skeleton />}
      {value?.length === 0 && <Empty>There are no topics yet.</Empty>}
      {value && value.length > 0 && <Picker rows={value} pickedIds={picked} onPick={pick} />}
    </div>
  );
}

function keepEnter(event: KeyboardEvent<HTMLElement>): void {
  const { type } = event.target as HTMLInputElement;
  if (event.key === 'Enter' && type === 'search') event.preventDefault();
}
