import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import { Failure } from '../../ui/page';
import { Select } from '../../ui/forms/Select';
import { useLoad } from '../lists/load';

/** Narrows the board to the subscribers of one topic. `value` is its id, or empty. */
export function TopicFilter({
  value,
  onChoose,
}: {
  value: string;
  onChoose: (topic: string) => void;
}) {
  const { value: topics = [], failure, reload } = useLoad('', readAllTopics, TOPICS_FAILED);
  const options = topics.map(({ id, title }) => [String(id), title] as const);
  // One that is not among them any more, or not yet: the board is narrowed by it all the same.
  const known = !value || options.some(([id]) => id === value);
  return (
    <>
      <Select
        label="Topic"
        name="topic"
        options={[
          ['', 'All topics'],
          ...(known ? [] : ([[value, `Topic ${value}`]] as const)),
          ...options,
        ]}
        value={value}
        onChoose={onChoose}
      />
      {failure && <Failure retry={reload}>{failure}</Failure>}
    </>
  );
}
