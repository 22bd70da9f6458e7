import { Fragment } from 'react';
import { Link } from 'wouter';
import { plural } from '../../../platform/plural';
import type { SentMessage } from '../../../shared/contract';
import {
  countGroup,
  countUnwritten,
  EVERYONE_FILTER,
  NOT_ANSWERED_FILTER,
  NOT_REACHED_FILTER,
  NOT_READ_FILTER,
  type PeopleGroup,
  type ShownState,
} from '../../../shared/recipient-states';
import type { RecipientGroup } from '../../../state/messages/sent-messages';
import type { IconName } from '../../../ui/Icon';
import { countText } from '../../../ui/lists/Pager';
import { listLink } from '../../lists/list-address';
import { Tiles, labelWithIcon, type CountTile } from '../../lists/Tiles';
import { countUnresolvedHelp, isHelpOpen } from '../calls-for-help';
import { STATE_NAMES, countRecipientStates } from '../state-texts';
import { asksForAnswer, hasEnded } from '../message-texts';

/** The names of groups, except of everyone and of those that only a link leads to. */
export const GROUP_NAMES: Partial<Record<RecipientGroup, string>> = {
  ...STATE_NAMES,
  [NOT_ANSWERED_FILTER]: 'No answer yet',
  [NOT_READ_FILTER]: 'Not read yet',
  [NOT_REACHED_FILTER]: 'Not reached',
};

/** One color for each meaning, as in the list of messages; the links tell the states apart. */
const BAR_PARTS: readonly (readonly [part: string, states: readonly ShownState[]])[] = [
  ['answered', ['answered']],
  ['read', ['read', 'displayed']],
  ['waiting', ['accepted', 'on_its_way']],
  ['failed', ['failed', 'not_reachable', 'muted']],
];

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
  const helpCount = countUnresolvedHelp(message);
  const parts = BAR_PARTS.map(([part, allStates]) => {
    const states = allStates.filter((state) => counts[state] > 0);
    const count = states.reduce((sum, state) => sum + counts[state], 0);
    return { part, states, count: part === 'answered' ? count - helpCount : count };
  }).filter(({ states }) => states.length > 0);
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
        {helpCount > 0 && <i data-state="help" style={{ flexGrow: String(helpCount) }} />}
        {parts.map(
          ({ part, count }) =>
            count > 0 && <i key={part} data-state={part} style={{ flexGrow: String(count) }} />,
        )}
      </span>
      <p className="legend">
        {parts.map(({ part, states }) => (
          <span key={part}>
            <i className="swatch" data-state={part} />
            {states.map((state, index) => (
              <Fragment key={state}>
                {index > 0 && ' · '}
                <Link
                  {...listLink(addressOf(state))}
                  aria-current={state === shown ? 'true' : undefined}
                >
                  {`${STATE_NAMES[state]} ${counts[state].toLocaleString()}`}
                </Link>
              </Fragment>
            ))}
            {part === 'answered' && helpCount > 0 && (
              <small>
                {' '}
                <i className="swatch" data-state="help" />
                {helpPartText(message, helpCount)}
              </small>
            )}
          </span>
        ))}
      </p>
      {!asksForAnswer(message) && (
        <p>
          <small>No answer requested.</small>
        </p>
      )}
    </>
  );
}

/** How many of those who answered called for help: the bar shows them apart. */
const helpPartText = (message: SentMessage, count: number): string =>
  isHelpOpen(message)
    ? plural(count, {
        one: '1 of them needs help',
        other: `${count.toLocaleString()} of them need help`,
      })
    : plural(count, {
        one: '1 of them needed help',
        other: `${count.toLocaleString()} of them needed help`,
      });

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
