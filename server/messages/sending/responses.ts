import type { SentResponse } from './send-request';

export interface SentCounts {
  people: number;
  /** People who have a device that gets the message. */
  reached: number;
  /** People who are in quiet hours. */
  held: number;
}

const sentResponse = (message: string): SentResponse => ({ message, notified: true });
const createUnnotifiedResponse = (reason: string): SentResponse => ({
  message: `Sent, but no one is being notified: ${reason}`,
  notified: false,
});

/** The audience is read only when the message is sent. */
export const SCHEDULED = sentResponse('Scheduled. The recipients are determined when it is sent.');
export const describeUndoable = (seconds: number): SentResponse =>
  sentResponse(
    `Sending in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. To undo this, cancel the message.`,
  );

export function describeSubscribers({ people, reached, held }: SentCounts): SentResponse {
  if (reached > 0 || held > 0)
    return sentResponse(
      `Sent. ${reached} of ${people} ${people === 1 ? 'subscriber is' : 'subscribers are'} being notified.${describeHeld(held)}`,
    );
  if (people === 0) return createUnnotifiedResponse('this topic has no subscribers yet.');
  return createUnnotifiedResponse(
    people === 1
      ? 'the only subscriber has no device with notifications enabled for this topic.'
      : `none of the ${people} subscribers has a device with notifications enabled for this topic.`,
  );
}

export function describePeople({ people, reached, held }: SentCounts): SentResponse {
  const notifiedCount = reached + held;
  if (notifiedCount === 0)
    return createUnnotifiedResponse(
      people === 1
        ? 'this person has no device with notifications enabled.'
        : `none of the ${people} people has a device with notifications enabled.`,
    );
  const missedCount = people - notifiedCount;
  const reachedText =
    missedCount > 0
      ? `${notifiedCount} of ${people} people`
      : `${people} ${people === 1 ? 'person' : 'people'}`;
  const missedText =
    missedCount === 0 ? '' : ` ${missedCount} ${missedCount === 1 ? 'is' : 'are'} not reachable.`;
  return sentResponse(`Sent to ${reachedText}.${missedText}${describeHeld(held)}`);
}

/** Counting the devices of a large audience would take too long. */
export function describeLargeAudience(
  people: number,
  isTopic: boolean,
  mayWait: boolean,
): SentResponse {
  const whenText = mayWait ? 'now or when their quiet hours end' : 'now';
  return sentResponse(
    `Sent to ${people} ${isTopic ? 'subscribers' : 'people'}. Everyone who enabled notifications on a device is notified ${whenText}.`,
  );
}

const describeHeld = (held: number): string =>
  held === 0 ? '' : ` ${held} will be notified when their quiet hours end.`;
