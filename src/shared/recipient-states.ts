/**
 * The ledger's states as people are told them: seven, of which each person of a message is in
 * exactly one at every moment.
 */
import type { People, RecipientState } from './contract';

/** From the best to the worst. */
export const SHOWN_STATES = [
  'answered',
  'read',
  'displayed',
  'accepted',
  'on_its_way',
  'failed',
  'not_reachable',
] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

const SHOWN: Record<RecipientState, ShownState> = {
  acknowledged: 'answered',
  read: 'read',
  displayed: 'displayed',
  accepted: 'accepted',
  pending: 'on_its_way',
  held: 'on_its_way',
  failed: 'failed',
  unreachable: 'not_reachable',
  muted: 'not_reachable',
};

/** In the filter of recipients, stands for `NOT_ANSWERED`. */
export const NOT_ANSWERED_FILTER = 'not_answered';
/** Who has not answered, but got the message, or may still get it. */
export const NOT_ANSWERED: readonly RecipientState[] = [
  'held',
  'pending',
  'accepted',
  'displayed',
  'read',
];

/**
 * Undefined for a state that this version does not know. @param hasEnded whether the message has:
 * what is still held then never leaves
 */
export const shownState = (state: RecipientState, hasEnded: boolean): ShownState | undefined =>
  state === 'held' && hasEnded ? 'failed' : Object.hasOwn(SHOWN, state) ? SHOWN[state] : undefined;

/** The ledger's states that are shown as this one. */
export const ledgerStates = (shown: ShownState, hasEnded: boolean): RecipientState[] =>
  (Object.keys(SHOWN) as RecipientState[]).filter((state) => shownState(state, hasEnded) === shown);

/**
 * How many people are in each state. They sum to `total`: who is not written yet is on its way. A
 * server that does not count who is accepted or failed claims nothing of them.
 */
export function countStates(people: People, hasEnded: boolean): Record<ShownState, number> {
  const { total, unreachable, muted, held, displayed, read, acknowledged } = people;
  const counts = {
    answered: acknowledged,
    read: read - acknowledged,
    displayed: displayed - read,
    accepted: number(people.accepted),
    on_its_way: 0,
    failed: number(people.failed) + (hasEnded ? held : 0),
    not_reachable: unreachable + muted,
  };
  const known = Object.values(counts).reduce((sum, count) => sum + count);
  return { ...counts, on_its_way: Math.max(0, total - known) };
}

/** How many of them have not answered, as the filter finds them, and who is still to be written. */
export const countNotAnswered = ({ total, acknowledged, ...people }: People): number =>
  Math.max(0, total - acknowledged - people.unreachable - people.muted - number(people.failed));

/** How many people of a message are not written yet, as far as the server says. */
export function countUnwritten(people: People): number {
  const { total, unreachable, muted, held, displayed } = people;
  if (people.pending === undefined) return 0;
  const { pending, accepted, failed } = people;
  const written = number(pending) + number(accepted) + number(failed);
  return Math.max(0, total - (unreachable + muted + held + displayed + written));
}

/** A server that knows only the specification leaves it out. */
const number = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
