import type { SentMessage } from '../../../shared/contract';
import { countGroups, type Group } from '../../../state/sending/sent';
import { Tiles } from '../../lists/Tiles';
import { asksForAnswer } from '../words';

const WORDS: readonly (readonly [Group, string])[] = [
  ['confirmed', 'confirmed'],
  ['read', 'read, no answer'],
  ['shown', 'shown, not opened'],
  ['missed', 'not reached'],
];

interface Props {
  message: SentMessage;
  /** The group whose people are shown. */
  shown: Group;
  /** Where a group is shown. */
  addressOf: (group: Group) => string;
}

/** How many people there are in each group, as the way to their names; and what they answered. */
export function Tally({ message, shown, addressOf }: Props) {
  const counts = countGroups(message);
  return (
    <>
      <Tiles
        tiles={WORDS.map(([group, words]) => [group, words, counts[group]] as const)}
        shown={shown}
        addressOf={addressOf}
      />
      <p>
        <small>
          {asksForAnswer(message) ? <Answers message={message} /> : 'No answer was asked.'}
        </small>
      </p>
    </>
  );
}

/** What was offered, in the sender's order, with how many chose it. */
const Answers = ({ message: { answers, tally } }: { message: SentMessage }) => (
  <>
    Answers:{' '}
    {answers.map((answer, index) => (
      <span key={answer}>
        {index > 0 && ' · '}
        <b>
          <bdi>{answer}</bdi>
        </b>{' '}
        {(Number(tally[answer]) || 0).toLocaleString()}
      </span>
    ))}
  </>
);
