/** Answers that call for help, in words. */
import { plural } from '../../platform/plural';
import type { SentMessage } from '../../shared/contract';
import { HELP_OPEN_AFTER_EXPIRY_MS } from '../../shared/recipient-states';
import { serverNow } from '../../state/clock';
import { isCallForHelp } from '../../state/inbox/answer-tone';
import { parseTime } from '../../ui/values/Day';

/** Whether calls for help still need attention. A canceled message helped no one. */
export const isHelpOpen = ({ allClearAt, state, expiresAt }: SentMessage): boolean =>
  !allClearAt &&
  state !== 'resolved' &&
  !(parseTime(expiresAt) + HELP_OPEN_AFTER_EXPIRY_MS <= serverNow());

/** Red while people need help, a warning if no one gave the all-clear. */
export const getHelpTone = (message: SentMessage): 'bad' | 'warn' | undefined =>
  isHelpOpen(message) ? 'bad' : isForgotten(message) ? 'warn' : undefined;

/** Whether the message expired without an all-clear. */
export const isForgotten = (message: SentMessage): boolean =>
  !isHelpOpen(message) && !message.allClearAt && message.state !== 'resolved';

/** The answers that call for help, each with its number of people. */
export const listCallsForHelp = (
  message: SentMessage,
): (readonly [answer: string, count: number])[] =>
  message.answers
    .filter((answer) => isCallForHelp(answer, message))
    .map((answer) => [answer, Number(message.tally[answer]) || 0] as const)
    .filter(([, count]) => count > 0);

/** How many people called for help, also if they no longer need it. */
export const sumCallsForHelp = (message: SentMessage): number =>
  listCallsForHelp(message).reduce((sum, [, count]) => sum + count, 0);

/** How many people still need help. */
export const countCallsForHelp = (message: SentMessage): number =>
  isHelpOpen(message) ? sumCallsForHelp(message) : 0;

/** How many people called for help without an all-clear, also if the message has expired. */
export const countUnresolvedHelp = (message: SentMessage): number =>
  isHelpOpen(message) || isForgotten(message) ? sumCallsForHelp(message) : 0;

/** Says how many people need help, or needed it; empty if there are none. */
export function describeHelp(message: SentMessage, count = sumCallsForHelp(message)): string {
  if (count === 0) return '';
  return isHelpOpen(message)
    ? plural(count, {
        one: '1 person needs help',
        other: `${count.toLocaleString()} people need help`,
      })
    : plural(count, {
        one: '1 person needed help',
        other: `${count.toLocaleString()} people needed help`,
      });
}
