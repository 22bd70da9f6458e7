import type { SentMessage } from '../../../shared/contract';
import {
  countNotAnswered,
  countUnwritten,
  NOT_ANSWERED_FILTER,
  SHOWN_STATES,
  type ShownState,
} from '../../../shared/recipient-states';
import type { RecipientGroup } from '../../../state/messages/sent-messages';
import type { IconName } from '../../../ui/Icon';
import { countText } from '../../../ui/lists/Pager';
import { Tiles, labelWithIcon, type CountTile } from '../../lists/Tiles';
import { Meter } from '../Meter';
import { STATE_NAMES, countRecipientStates } from '../state-texts';
import { asksForAnswer } from '../message-texts';
import { hasEnded } from './allowed-changes';

const ICONS: Record<ShownState, IconName> = {
  answered: 'check',
  read: 'inbox',
  displayed: 'device',
  accepted: 'send',
  on_its_way: 'clock',
  failed: 'alert',
  not_reachable: 'mute',
};
const CAN_ANSWER = 'On its way, accepted, displayed or read';

interface Props {
  message: SentMessage;
  shown: RecipientGroup;
  addressOf: (group: RecipientGroup) => string;
}

/** Links to each group of people with counts, and the answers. */
export function RecipientGroups({ message, shown, addressOf }: Props) {
  const counts = countRecipientStates(message);
  const states = SHOWN_STATES.filter((state) => state !== 'answered' || asksForAnswer(message));
  const tiles: CountTile<RecipientGroup>[] = states.map((state) => [
    state,
    labelWithIcon(ICONS[state], STATE_NAMES[state]),
    counts[state],
    detailOf(state, message),
  ]);
  if (asksForAnswer(message))
    tiles.push([
      NOT_ANSWERED_FILTER,
      labelWithIcon('user', 'Not answered'),
      countNotAnswered(message.people),
      CAN_ANSWER,
    ]);
  return (
    <>
      <Meter message={message} />
      <Tiles tiles={tiles} shown={shown} addressOf={addressOf} swatches={SHOWN_STATES} />
      {!asksForAnswer(message) && (
        <p>
          <small>No answer requested.</small>
        </p>
      )}
    </>
  );
}

/** More about the people in a state. */
function detailOf(state: ShownState, message: SentMessage): string {
  const { unreachable, muted } = message.people;
  const heldCount = hasEnded(message) ? 0 : message.people.held;
  const unwrittenCount = countUnwritten(message.people);
  const parts: readonly (readonly [number, string])[] =
    state === 'on_its_way'
      ? [
          [heldCount, countText(heldCount, 'held for quiet hours')],
          [unwrittenCount, countText(unwrittenCount, 'waiting to be sent')],
        ]
      : state === 'not_reachable'
        ? [
            [unreachable, `${unreachable.toLocaleString()} without a device`],
            [muted, countText(muted, 'muted')],
          ]
        : [];
  if (state === 'accepted') return 'By the push service';
  return parts.flatMap(([count, text]) => (count > 0 ? text : [])).join(', ');
}
