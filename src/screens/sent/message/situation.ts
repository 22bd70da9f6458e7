/** How far a message got with one person, and why no further, in words. */
import type { Recipient, RecipientState, SentMessage } from '../../../shared/contract';
import { timeOf } from '../../../ui/values/Day';
import { untilText } from '../../../ui/values/When';
import { canRing } from './ends';
import { asksForAnswer } from '../words';

/** So many hours ahead a time says enough without its day. */
const DAY_HOURS = 24;

interface Situation {
  name: string;
  tone?: string | undefined;
  why: string;
}

const SITUATIONS: Record<RecipientState, Situation> = {
  unreachable: { name: 'No device', tone: 'bad', why: 'No device of theirs could be notified' },
  muted: { name: 'Topic off', tone: 'warn', why: 'Switched it off on all devices' },
  held: { name: 'Quiet hours', tone: 'warn', why: 'It waits for the end of their quiet hours' },
  pending: { name: 'Waiting', tone: 'warn', why: 'Not taken by the push service yet' },
  failed: { name: 'Failed', tone: 'bad', why: 'The push service did not take it' },
  accepted: {
    name: 'On its way',
    tone: 'warn',
    why: 'Taken by the push service; the phone may be off',
  },
  displayed: { name: 'Shown', why: 'Shown on a device, not opened yet' },
  read: { name: 'Read', why: 'Opened, not answered yet' },
  acknowledged: { name: 'Confirmed', tone: 'ok', why: '-' },
};
const NOT_REGISTERED: Situation = {
  name: 'Not registered',
  tone: 'bad',
  why: 'The registration link was not used yet',
};

const NEVER_RUNG: Situation = {
  name: 'Quiet hours',
  tone: 'warn',
  why: 'It ends before their quiet hours do',
};

/** A state that this version does not know is shown by the server's word. */
export function situation(recipient: Recipient, message: SentMessage): Situation {
  const { user, state, answer, late } = recipient;
  if (state === 'unreachable' && user?.status === 'PENDING') return NOT_REGISTERED;
  const known = Object.hasOwn(SITUATIONS, state)
    ? SITUATIONS[state]
    : { name: String(state), why: '-' };
  if (state === 'held' && !ringsAt(recipient, message)) return NEVER_RUNG;
  if (state === 'read' && !asksForAnswer(message)) return { ...known, tone: 'ok', why: '-' };
  if (state !== 'acknowledged') return known;
  return {
    ...known,
    name: typeof answer === 'string' && answer ? answer : known.name,
    why: late ? 'Late: it had ended' : known.why,
  };
}

/**
 * Whether it could ring again at this person: a push was taken or given up, and they have not
 * answered, or read it where nothing was asked.
 */
export const canHear = ({ state }: Recipient, message: SentMessage): boolean =>
  ['failed', 'accepted', 'displayed'].includes(state) ||
  (state === 'read' && asksForAnswer(message));

/** Whether their phone cannot be notified, and they can do something about it. */
export const needsAdvice = ({ state, user }: Recipient): boolean =>
  state === 'failed' || (state === 'unreachable' && user?.status !== 'PENDING');

/**
 * Until when it waits for this person's quiet hours, such as `06:00`; `-` where the server does not
 * say; empty where it will not ring, since it does not wait, or ends before.
 */
export function ringsAt({ state, heldUntil }: Recipient, message: SentMessage): string {
  if (state !== 'held' || !canRing(message)) return '';
  const tooLate = timeOf(heldUntil) >= timeOf(message.expiresAt);
  return tooLate ? '' : untilText(heldUntil ?? '', DAY_HOURS);
}
