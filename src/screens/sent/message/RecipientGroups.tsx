import { Link } from 'wouter';
import type { SentMessage } from '../../../shared/contract';
import {
  countGroup,
  countUnwritten,
  EVERYONE_FILTER,
  NOT_ANSWERED_FILTER,
  NOT_REACHED_FILTER,
  NOT_READ_FILTER,
  SHOWN_STATES,
  type PeopleGroup,
} from '../../../shared/recipient-states';
import type { RecipientGroup } from '../../../state/messages/sent-messages';
import type { IconName } from '../../../ui/Icon';
import { countText } from '../../../ui/lists/Pager';
import { listLink } from '../../lists/list-address';
import { Tiles, labelWithIcon, type CountTile } from '../../lists/Tiles';
import { STATE_NAMES, countRecipientStates } from '../state-texts';
import { asksForAnswer, hasEnded } from '../message-texts';

/** The names of groups, except of everyone and of those that only a link leads to. */
export const GROUP_NAMES: Partial<Record<RecipientGroup, string>> = {
  ...STATE_NAMES,
  [NOT_ANSWERED_FILTER]: 'No answer yet',
  [NOT_READ_FILTER]: 'Not read yet',
  [NOT_REACHED_FILTER]: 'Not reached',
};

interface Props {
  message: SentMessage;
  shown: RecipientGroup;
  addressOf: (group: RecipientGroup) => string;
}

/** Says whether the message arrived and who is still missing, with links to these people. */
export function RecipientGroups({ message, shown, addressOf }: Props) {
  const counts = countRecipientStates(message);
  const tile = (
    group: PeopleGroup,
    icon: IconName,
    detail = '',
    tone?: string,
  ): CountTile<RecipientGroup> => [
    group,
    labelWithIcon(icon, GROUP_NAMES[group] ?? 'People'),
    countGroup(counts, group),
    detail,
    tone,
  ];
  const doneTile = asksForAnswer(message)
    ? [tile('answered', 'check'), tile(NOT_ANSWERED_FILTER, 'clock', comingText(message))]
    : [tile('read', 'check'), tile(NOT_READ_FILTER, 'clock', comingText(message))];
  const missedTone = countGroup(counts, NOT_REACHED_FILTER) > 0 ? 'bad' : undefined;
  return (
    <>
      <Tiles
        tiles={[
          ...doneTile,
          tile(NOT_REACHED_FILTER, 'alert', missedText(message), missedTone),
          tile(EVERYONE_FILTER, 'people'),
        ]}
        shown={shown}
        addressOf={addressOf}
      />
      <span className="meter" aria-hidden="true">
        {SHOWN_STATES.map(
          (state) =>
            counts[state] > 0 && (
              <i key={state} data-state={state} style={{ flexGrow: String(counts[state]) }} />
            ),
        )}
      </span>
      <p className="legend">
        {SHOWN_STATES.map(
          (state) =>
            counts[state] > 0 && (
              <Link
                key={state}
                {...listLink(addressOf(state))}
                aria-current={state === shown ? 'true' : undefined}
              >
                <i className="swatch" data-state={state} />
                {`${STATE_NAMES[state]} ${counts[state].toLocaleString()}`}
              </Link>
            ),
        )}
      </p>
      {!asksForAnswer(message) && (
        <p>
          <small>No answer requested.</small>
        </p>
      )}
    </>
  );
}

const listText = (parts: readonly (readonly [number, string])[]): string =>
  parts.flatMap(([count, text]) => (count > 0 ? text : [])).join(', ');

/** Why notifications have not left yet. */
function comingText(message: SentMessage): string {
  const held = hasEnded(message) ? 0 : message.people.held;
  const unwritten = countUnwritten(message.people);
  return listText([
    [held, countText(held, 'held for quiet hours')],
    [unwritten, countText(unwritten, 'waiting to be sent')],
  ]);
}

function missedText(message: SentMessage): string {
  const { failed } = countRecipientStates(message);
  const { unreachable, muted } = message.people;
  return listText([
    [failed, `${failed.toLocaleString()} failed`],
    [unreachable, `${unreachable.toLocaleString()} without a device`],
    [muted, countText(muted, 'muted')],
  ]);
}
