/** Whether a message can still change, and whether this person may change it. */
import type { Escalation, SentMessage } from '../../../shared/contract';
import { ALL_CLEAR_FILTER } from '../../../shared/recipient-states';
import type { RecipientGroup } from '../../../state/messages/sent-messages';
import { mayChange } from '../../../state/rights';
import { asksForAnswer, hasEnded, isSentSoon } from '../message-texts';

/** Everyone has answered, or has read the message if no answer was requested. */
export const isFullyAnswered = (message: SentMessage): boolean => {
  const { total, read, acknowledged } = message.people;
  return total > 0 && (asksForAnswer(message) ? acknowledged : read) >= total;
};

/** Senders only their own messages, auditors none. */
export const mayChangeMessage = (message: SentMessage): boolean =>
  'isOwn' in message ? message.isOwn === true : mayChange.value;

/** After the all-clear, people can only be notified of the all-clear. */
export const canNotifyAgain = (message: SentMessage, group?: RecipientGroup): boolean =>
  message.state !== 'scheduled' &&
  !message.allClearAt === (group !== ALL_CLEAR_FILTER) &&
  !hasEnded(message);

/** The server keeps an alarm as it is until its all-clear, or until its check-in ends. */
const isOpenAlarm = ({ checkIn, allClearAt }: SentMessage): boolean =>
  checkIn?.endedAt === null && !allClearAt;

export const canCorrect = (message: SentMessage): boolean =>
  canGiveAllClear(message) && !isOpenAlarm(message);

/** An older server sends no revision, because it knows neither corrections nor all-clears. */
export const canGiveAllClear = (message: SentMessage): boolean =>
  !!message.revision &&
  !message.isAllClear &&
  !message.allClearAt &&
  !message.withheld &&
  !isSentSoon(message) &&
  !hasEnded(message);

/** Whether anything can be stopped: unsent pushes, some held for quiet hours, or coming steps. */
export const canCancel = (
  message: SentMessage,
  escalation: Escalation | null | undefined,
): boolean => {
  const { state, people } = message;
  if (isOpenAlarm(message)) return false;
  if (state === 'scheduled' || state === 'sending') return true;
  const hasPendingSteps =
    escalation?.stopped === null && escalation.steps.some((step) => !step.doneAt);
  return !hasEnded(message) && (people.held > 0 || hasPendingSteps);
};
