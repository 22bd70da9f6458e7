/** States of messages and recipients, in words. */
import { countText } from '../../ui/lists/Pager';
import { hasEnded, isSentSoon } from './message-texts';
import type { SentMessage } from '../../shared/contract';
import { countStates, type ShownState } from '../../shared/recipient-states';

export const STATE_NAMES: Record<ShownState, string> = {
  answered: 'Answered',
  read: 'Read',
  displayed: 'Displayed',
  accepted: 'Accepted',
  on_its_way: 'On its way',
  failed: 'Failed',
  not_reachable: 'Not reachable',
  muted: 'Muted',
};

/** The counts sum to all people. */
export const countRecipientStates = (message: SentMessage): Record<ShownState, number> =>
  countStates(message.people, hasEnded(message));

/**
 * The message's state, or how many people it did not reach. Texts have a tone if they need
 * attention.
 */
export function describeMessageState(message: SentMessage): { name: string; tone?: string } {
  switch (message.state) {
    case 'scheduled':
      if (message.withheld) return { name: 'Withheld', tone: 'bad' };
      // The seconds to undo it, which the notice counts down.
      return { name: isSentSoon(message) ? 'Waiting to be sent' : 'Scheduled' };
    case 'sending':
      return { name: 'Sending' };
    case 'cancelled':
      return { name: 'Canceled' };
    case 'resolved':
      return { name: 'Resolved' };
    case 'expired':
      return { name: 'Expired' };
    default:
      return sentState(message);
  }
}

/** The name of a state in which nothing is missing. */
export const SENT_STATE_NAME = 'Sent';

function sentState(message: SentMessage): { name: string; tone?: string } {
  const { failed, not_reachable, muted, on_its_way } = countRecipientStates(message);
  const missedTexts = [
    failed > 0 && `${failed.toLocaleString()} failed`,
    not_reachable > 0 && `${not_reachable.toLocaleString()} not reachable`,
    muted > 0 && countText(muted, 'muted'),
  ].filter(Boolean);
  if (missedTexts.length > 0) {
    const name = missedTexts.join(', ');
    if (message.allClearAt) return { name };
    if (message.priority === 'urgent' && failed + not_reachable > 0) return { name, tone: 'bad' };
    return failed > 0 ? { name, tone: 'warn' } : { name };
  }
  if (on_its_way > 0) return { name: `${on_its_way.toLocaleString()} held for quiet hours` };
  return { name: SENT_STATE_NAME };
}
