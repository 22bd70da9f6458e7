/** Whether a message can still change. */
import type { Escalation, SentMessage } from '../../../shared/contract';
import { now } from '../../../state/clock';
import { parseTime } from '../../../ui/values/Day';
import { asksForAnswer, isWithdrawn } from '../words';

/** Everybody has answered, or read it if no answer was requested. */
export const isComplete = (message: SentMessage): boolean => {
  const { total, read, acknowledged } = message.people;
  return total > 0 && (asksForAnswer(message) ? acknowledged : read) >= total;
};

/** Notifying stops, but late answers are still recorded. */
export const hasEnded = (message: SentMessage): boolean =>
  isWithdrawn(message) || message.state === 'expired' || parseTime(message.expiresAt) <= now();

export const canNotifyAgain = (message: SentMessage): boolean =>
  message.state !== 'scheduled' && !hasEnded(message);

/** Whether anything can be stopped: unsent pushes, some held for quiet hours, or coming steps. */
export const canStop = (
  message: SentMessage,
  escalation: Escalation | null | undefined,
): boolean => {
  const { state, people } = message;
  if (state === 'scheduled' || state === 'sending') return true;
  const goesOn = escalation?.stopped === null && escalation.steps.some((step) => !step.doneAt);
  return !hasEnded(message) && (people.held > 0 || goesOn);
};
