/** How far a message got with one person, and why, in words. */
import type { RecipientFailure, RecipientState, SentMessage } from '../../../shared/contract';
import type { RecipientGroup, SeenRecipient } from '../../../state/messages/sent-messages';
import {
  ALL_CLEAR_FILTER,
  isUnseenFilter,
  shownState,
  type ShownState,
} from '../../../shared/recipient-states';
import { parseTime } from '../../../ui/values/Day';
import { untilText } from '../../../ui/values/When';
import { isCallForHelp } from '../../../state/inbox/answer-tone';
import { isHelpOpen } from '../calls-for-help';
import { DEVICE_GONE, NO_DEVICE, NOT_REGISTERED } from '../../not-reachable-texts';
import { STATE_NAMES } from '../state-texts';
import { asksForAnswer, textOrNothing, hasEnded } from '../message-texts';
import { canNotifyAgain } from './allowed-changes';

/** A time within these hours is shown without its day. */
const DAY_HOURS = 24;

interface RecipientTexts {
  /** The state as shown, undefined for an unknown state and for a call for help. */
  shown: ShownState | undefined;
  name: string;
  why: string;
  tone?: 'bad' | undefined;
}

const STATE_REASONS: Record<RecipientState, string> = {
  unreachable: NO_DEVICE,
  muted: 'Muted on all devices',
  held: 'Held until their quiet hours end',
  pending: 'Not accepted by the push service yet',
  failed: 'No push service accepted the message',
  accepted: 'Accepted by the push service; the device may be off',
  displayed: 'Displayed, not opened yet',
  read: 'Opened, not answered yet',
  acknowledged: '-',
};

const FAILURE_REASONS: Record<RecipientFailure, string> = {
  expired: 'The message expired before a push service accepted it',
  cancelled: 'The message was canceled before a push service accepted it',
  cleared: 'The all-clear came before a push service accepted the message',
  gone: DEVICE_GONE,
  refused: 'The push service rejected the message',
  unwanted: 'Unsubscribed or muted before the message was accepted',
};

/** Unknown states keep the server's name. */
export function describeRecipientState(
  recipient: SeenRecipient,
  message: SentMessage,
  group?: RecipientGroup,
): RecipientTexts {
  const { state } = recipient;
  if (state === 'acknowledged' && isCallForHelp(textOrNothing(recipient.answer), message)) {
    const [name, tone] = isHelpOpen(message)
      ? (['Needs help', 'bad'] as const)
      : (['Needed help'] as const);
    return { shown: undefined, name, tone, why: getReason(recipient, message) };
  }
  const stateToShow = shownState(state, hasEnded(message));
  if (stateToShow === undefined) return { shown: stateToShow, name: String(state), why: '-' };
  // The state is the message's. Of its correction or all-clear, only the list of people knows.
  const why =
    isUnseenFilter(group) && ['displayed', 'read'].includes(state)
      ? group === ALL_CLEAR_FILTER
        ? 'Was shown the message, not the all-clear'
        : 'Was shown an earlier text'
      : getReason(recipient, message);
  return { shown: stateToShow, name: STATE_NAMES[stateToShow], why };
}

function getReason(recipient: SeenRecipient, message: SentMessage): string {
  const { user, state, answer, acknowledgedAt, late, failure } = recipient;
  if (state === 'unreachable' && user?.status === 'PENDING') return NOT_REGISTERED;
  if (state === 'held') {
    const until = heldText(recipient, message);
    if (!until) return 'The message expires before their quiet hours end';
    return until === '-' ? STATE_REASONS.held : `Held until ${until}`;
  }
  if (state === 'failed' && failure && Object.hasOwn(FAILURE_REASONS, failure))
    return FAILURE_REASONS[failure];
  if (state === 'read' && !asksForAnswer(message)) return '-';
  if (state !== 'acknowledged') return STATE_REASONS[state];
  const answerText = textOrNothing(answer) || STATE_REASONS.acknowledged;
  // The first answer counts even then, but the person may not know that the message is over.
  if (parseTime(acknowledgedAt) >= parseTime(message.allClearAt))
    return `${answerText} (after the all-clear)`;
  return late ? `${answerText} (late)` : answerText;
}

/**
 * Whether a person without a pending push has not answered, or not read if no answer was requested.
 * People who answered and were not shown the correction or the all-clear count, too.
 */
export const canBeNotified = (
  { state }: SeenRecipient,
  message: SentMessage,
  group?: RecipientGroup,
): boolean =>
  ['failed', 'accepted', 'displayed'].includes(state) ||
  (state === 'read' && asksForAnswer(message)) ||
  (['read', 'acknowledged'].includes(state) && isUnseenFilter(group));

/** Whether the person can fix their device. */
export const needsAdvice = ({ state, user }: SeenRecipient): boolean =>
  state === 'failed' || (state === 'unreachable' && user?.status !== 'PENDING');

/** When quiet hours end, such as `06:00`; `-` if unknown; empty if the message ends earlier. */
function heldText({ heldUntil }: SeenRecipient, message: SentMessage): string {
  const tooLate = !canNotifyAgain(message) || parseTime(heldUntil) >= parseTime(message.expiresAt);
  return tooLate ? '' : untilText(heldUntil ?? '', DAY_HOURS);
}
