import type { SendingTopic } from '../../shared/contract';
import type { ComposedMessage } from '../../state/messages/composing';
import { countedNoun } from '../../ui/lists/Pager';
import { Icon } from '../../ui/Icon';
import { Empty } from '../../ui/page';

interface Props {
  /** The topics are undefined until they are loaded. */
  topics: readonly SendingTopic[] | undefined;
  chosen: ComposedMessage['to'];
  onChoose: (chosen: ComposedMessage['to']) => void;
}

/** The person's topics. A draft may name one that they lost. */
export function TopicChoice({ topics, chosen, onChoose }: Props) {
  const isChosen = (id: number) => chosen.some((addressee) => addressee.id === id);
  const lostTopics = chosen.filter(({ id }) => !topics?.some((topic) => topic.id === id));
  const toggleTopic = (id: number, name: string, on: boolean) => {
    const otherAddressees = chosen.filter((addressee) => addressee.id !== id);
    onChoose(on ? [...otherAddressees, { kind: 'topic', id, name }] : otherAddressees);
  };
  return (
    <fieldset>
      <legend>
        <Icon name="tag" />
        To
      </legend>
      {topics && topics.length + lostTopics.length === 0 && (
        <Empty>You can’t send to any topic.</Empty>
      )}
      <ul className="panel rows" hidden={!topics?.length && lostTopics.length === 0}>
        {topics?.map(({ id, title, ...audience }) => (
          <TopicRow
            key={id}
            name={title}
            detail={`${countedNoun(audience.people, 'person')}${audience.people > 0 ? ` · ${reachedText(audience)}` : ''}`}
            checked={isChosen(id)}
            onCheck={(on) => toggleTopic(id, title, on)}
          />
        ))}
        {lostTopics.map(({ id, name }) => (
          <TopicRow
            key={id}
            name={name}
            detail={topics ? 'You can no longer send to this topic.' : ''}
            checked
            onCheck={() => toggleTopic(id, name, false)}
          />
        ))}
      </ul>
    </fieldset>
  );
}

const TopicRow = ({
  name,
  detail,
  checked,
  onCheck,
}: {
  name: string;
  detail: string;
  checked: boolean;
  onCheck: (on: boolean) => void;
}) => (
  <li>
    <label>
      <input
        type="checkbox"
        name="to"
        checked={checked}
        onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
      />
      <span>
        <b>
          <bdi>{name}</bdi>
        </b>
        <small>{detail}</small>
      </span>
    </label>
  </li>
);

/** Counts a topic's subscribers: `26 reachable, 5 not reachable`. */
export function reachedText({ people, reachable }: { people: number; reachable: number }): string {
  if (reachable >= people) return 'all reachable';
  const unreachableCount = people - reachable;
  return `${reachable.toLocaleString()} reachable, ${unreachableCount.toLocaleString()} not reachable`;
}
