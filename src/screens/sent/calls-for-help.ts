/** Answers that call for help, in words. */
import { plural } from '../../platform/plural';
import type { SentMessage } from '../../shared/contract';
import { asksForHelp } from '../../state/inbox/answer-tone';

/** The answers that call for help, each with its number of people. Empty after the all-clear. */
export const openCallsForHelp = ({
  allClearAt,
  answers,
  tally,
}: SentMessage): (readonly [answer: string, count: number])[] =>
  allClearAt
    ? []
    : answers
        .filter(asksForHelp)
        .map((answer) => [answer, Number(tally[answer]) || 0] as const)
        .filter(([, count]) => count > 0);

/** How many people call for help. */
export const countCallsForHelp = (message: SentMessage): number =>
  openCallsForHelp(message).reduce((sum, [, count]) => sum + count, 0);

/** Of people who answered that they need help. */
export const needHelpText = (count: number): string =>
  plural(count, {
    one: '1 person needs help',
    other: `${count.toLocaleString()} people need help`,
  });
