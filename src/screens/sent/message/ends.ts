/** Whether a message still has something to wait for. */
import type { Escalation, SentMessage } from '../../../shared/contract';
import { now } from '../../../state/clock';
import { timeOf } from '../../../ui/values/Day';
import { asksForAnswer, isWithdrawn } from '../words';

/** Whether everybody has answered, or read it where nothing was asked. */
export const isComplete = (message: SentMessage): boolean => {
  const { total, read, acknowledged } = message.people;
  return total > 0 && (asksForAnswer(message) ? acknowledged : read) >= total;
};

/** Whether it has ended: then nothing rings any more, though late answers are still taken. */
export const hasEnded = (message: SentMessage): boolean =>
  isWithdrawn(message) || message.state === 'expired' || timeOf(message.expiresAt) <= now();

/** Whether it can ring again at somebody. */
export const canRing = (message: SentMessage): boolean =>
  message.state !== 'scheduled' && !hasEnded(message);

/**
 * Whether there is something left that could be stopped: pushes that have not left, some that wait
 * for quiet hours, or steps to come.
 */
export const canStop = (
  message: SentMessage,
  escalation: Escalation | null | undefined,
): boolean => {
  const { state, people } = message;
  if (state === 'scheduled' || state === 'sending') return true;
  const goesOn = escalation?.stopped === null && escalation.steps.some((step) => !step.doneAt);
  return !hasEnded(message) && (people.held > 0 || goesOn);
};
