/** Recipients' states as people see them: eight, and each recipient is in exactly one. */
import type { People, RecipientState } from './contract';

/** The best state comes first. */
export const SHOWN_STATES = [
  'answered',
  'read',
  'displayed',
  'accepted',
  'on_its_way',
  'failed',
  'not_reachable',
  'muted',
] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

const SHOWN_STATE_BY_STATE: Record<RecipientState, ShownState> = {
  acknowledged: 'answered',
  read: 'read',
  displayed: 'displayed',
  accepted: 'accepted',
  pending: 'on_its_way',
  held: 'on_its_way',
  failed: 'failed',
  unreachable: 'not_reachable',
  muted: 'muted',
};

/** Filter value for `NOT_ANSWERED`. */
export const NOT_ANSWERED_FILTER = 'not_answered';
/** Filter value for people who were not shown the newest correction. */
export const CORRECTION_FILTER = 'correction_not_displayed';
/** Filter value for people who were not shown the all-clear. */
export const ALL_CLEAR_FILTER = 'all_clear_not_displayed';
export type UnseenFilter = typeof CORRECTION_FILTER | typeof ALL_CLEAR_FILTER;
export const isUnseenFilter = (filter: string | undefined): filter is UnseenFilter =>
  filter === CORRECTION_FILTER || filter === ALL_CLEAR_FILTER;
/** States in which an answer may still come. */
export const NOT_ANSWERED: readonly RecipientState[] = [
  'held',
  'pending',
  'accepted',
  'displayed',
  'read',
];

/** An expired message gets no all-clear, so its calls for help need attention for one more day. */
export const HELP_OPEN_AFTER_EXPIRY_MS = 86_400_000;

/** Who the message did not reach, who has not read it, and everyone. */
export const NOT_REACHED_FILTER = 'not_reached';
export const NOT_READ_FILTER = 'not_read';
export const EVERYONE_FILTER = 'everyone';

const COMING_STATES = ['on_its_way', 'accepted', 'displayed'] as const;
/** The shown states of each group. Everyone is `answered`, or `read`, and both others. */
const STATES_BY_GROUP: Record<GroupFilter, readonly ShownState[]> = {
  [NOT_ANSWERED_FILTER]: [...COMING_STATES, 'read'],
  [NOT_READ_FILTER]: COMING_STATES,
  [NOT_REACHED_FILTER]: ['failed', 'not_reachable', 'muted'],
  [EVERYONE_FILTER]: SHOWN_STATES,
};
export const GROUP_FILTERS = Object.keys(STATES_BY_GROUP);
type GroupFilter =
  | typeof NOT_ANSWERED_FILTER
  | typeof NOT_READ_FILTER
  | typeof NOT_REACHED_FILTER
  | typeof EVERYONE_FILTER;
export type PeopleGroup = ShownState | GroupFilter;

const listStates = (group: PeopleGroup): readonly ShownState[] =>
  group in STATES_BY_GROUP ? STATES_BY_GROUP[group as GroupFilter] : [group as ShownState];

/** How many people are in a group. */
export const countGroup = (counts: Record<ShownState, number>, group: PeopleGroup): number =>
  listStates(group).reduce((sum, state) => sum + counts[state], 0);

/**
 * Returns undefined for an unknown state.
 * @param hasEnded a held message is then never sent
 */
export const shownState = (state: RecipientState, hasEnded: boolean): ShownState | undefined =>
  state === 'held' && hasEnded
    ? 'failed'
    : Object.hasOwn(SHOWN_STATE_BY_STATE, state)
      ? SHOWN_STATE_BY_STATE[state]
      : undefined;

/** The ledger's states of a group. */
export const ledgerStates = (group: PeopleGroup, hasEnded: boolean): RecipientState[] =>
  (Object.keys(SHOWN_STATE_BY_STATE) as RecipientState[]).filter((state) =>
    listStates(group).some((groupState) => groupState === shownState(state, hasEnded)),
  );

/** The counts sum to `total`: people without a row yet count as `on their way`. */
export function countStates(people: People, hasEnded: boolean): Record<ShownState, number> {
  const { total, unreachable, muted, held, displayed, read, acknowledged } = people;
  const counts = {
    answered: acknowledged,
    read: read - acknowledged,
    displayed: displayed - read,
    accepted: countOrZero(people.accepted),
    on_its_way: 0,
    failed: countOrZero(people.failed) + (hasEnded ? held : 0),
    not_reachable: unreachable,
    muted,
  };
  const knownCount = Object.values(counts).reduce((sum, count) => sum + count);
  return { ...counts, on_its_way: Math.max(0, total - knownCount) };
}

/** People who have not answered, as the filter finds them, and people who have no row yet. */
export const countNotAnswered = ({ total, acknowledged, ...people }: People): number =>
  Math.max(
    0,
    total - acknowledged - people.unreachable - people.muted - countOrZero(people.failed),
  );

/** People who have no recipient row yet, as far as the server knows. */
export function countUnwritten(people: People): number {
  const { total, unreachable, muted, held, displayed } = people;
  if (people.pending === undefined) return 0;
  const { pending, accepted, failed } = people;
  const writtenCount = countOrZero(pending) + countOrZero(accepted) + countOrZero(failed);
  return Math.max(0, total - (unreachable + muted + held + displayed + writtenCount));
}

/** A server with only the specification's API omits it. */
const countOrZero = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? value : 0;
