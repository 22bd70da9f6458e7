import type { SentMessage } from '../../../shared/contract';
import {
  countNotAnswered,
  countUnwritten,
  NOT_ANSWERED_FILTER,
  SHOWN_STATES,
  type ShownState,
} from '../../../shared/recipient-states';
import type { Group } from '../../../state/sending/sent';
import { Tiles, type CountTile } from '../../lists/Tiles';
import { Meter } from '../Meter';
import { STATE_NAMES, statesOf } from '../states';
import { asksForAnswer } from '../words';
import { canNotifyAgain, hasEnded, mayChangeMessage } from './ends';

const CAN_ANSWER = 'On its way, accepted, displayed or read';

interface Props {
  message: SentMessage;
  shown: Group;
  addressOf: (group: Group) => string;
}

/** Links to each group of people with counts, and the answers. */
export function Tally({ message, shown, addressOf }: Props) {
  const counts = statesOf(message);
  const tiles: CountTile<Group>[] = SHOWN_STATES.map((state) => [
    state,
    STATE_NAMES[state],
    counts[state],
    detailOf(state, message),
  ]);
  if (asksForAnswer(message))
    tiles.push([NOT_ANSWERED_FILTER, 'Not answered', countNotAnswered(message.people), CAN_ANSWER]);
  return (
    <>
      <Meter message={message} />
      <Tiles tiles={tiles} shown={shown} addressOf={addressOf} swatches={SHOWN_STATES} />
      <p>
        <small>
          {asksForAnswer(message) ? <Answers message={message} /> : 'No answer requested.'}
        </small>
      </p>
      {canNotifyAgain(message) && mayChangeMessage(message) && (
        <p>
          <small>
            “Notify again” skips people who aren’t reachable, are in quiet hours or have a push on
            its way.
          </small>
        </p>
      )}
    </>
  );
}

/** More about the people in a state. */
function detailOf(state: ShownState, message: SentMessage): string {
  const { people } = message;
  const parts: [number, string][] =
    state === 'on_its_way'
      ? [
          [hasEnded(message) ? 0 : people.held, 'held for quiet hours'],
          [countUnwritten(people), 'still being added'],
        ]
      : state === 'not_reachable'
        ? [
            [people.unreachable, 'no device'],
            [people.muted, 'muted'],
          ]
        : [];
  if (state === 'accepted') return 'By the push service';
  return parts
    .flatMap(([count, words]) => (count > 0 ? `${count.toLocaleString()} ${words}` : []))
    .join(', ');
}

/** In the sender's order, with counts. */
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
