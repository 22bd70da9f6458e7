/** What a sender is told. */
import type { SentAnswer } from './send-request';

/** How many people it is for, at how many of them it rings now, and at how many later. */
export interface SendReach {
  people: number;
  /** They have a device that gets it. */
  reached: number;
  /** They would, but for their quiet hours. */
  held: number;
}

const sent = (message: string): SentAnswer => ({ message, notified: true });
const toNobody = (why: string): SentAnswer => ({
  message: `Sent, but nobody is notified now: ${why}`,
  notified: false,
});

/** The audience of what leaves later is found when it leaves. */
export const SCHEDULED = sent('Scheduled. It goes to whoever is in its audience when it leaves.');
/** The same of what can be undone for some seconds. */
export const describeHeldBack = (seconds: number): SentAnswer =>
  sent(
    `Sending in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. Cancel the message to undo it.`,
  );

/** Of one topic. */
export function describeSubscribers({ people, reached, held }: SendReach): SentAnswer {
  if (reached > 0 || held > 0)
    return sent(
      `Sent. ${reached} of ${people} ${people === 1 ? 'subscriber is' : 'subscribers are'} being notified.${describeHeld(held)}`,
    );
  if (people === 0) return toNobody('this topic has no subscribers yet.');
  const none =
    people === 1 ? 'the only subscriber has no' : `none of the ${people} subscribers has a`;
  return toNobody(`${none} device with notifications enabled for this topic.`);
}

/** Of several topics and people. */
export function describePeople({ people, reached, held }: SendReach): SentAnswer {
  const rung = reached + held;
  if (rung === 0) {
    const none = people === 1 ? 'this person has no' : `none of the ${people} people has a`;
    return toNobody(`${none} device with notifications enabled.`);
  }
  const missed = people === rung ? '' : `, ${people - rung} cannot be reached`;
  return sent(`Sent to ${rung} ${rung === 1 ? 'person' : 'people'}${missed}.${describeHeld(held)}`);
}

/** Of so many that it would take long to find out who of them has a device. */
export function describeMany(people: number, isTopic: boolean, mayWait: boolean): SentAnswer {
  const when = mayWait ? 'now, or when their quiet hours end' : 'now';
  return sent(
    `Sent to ${people} ${isTopic ? 'subscribers' : 'people'}. Whoever of them has a device with notifications enabled is notified ${when}.`,
  );
}

const describeHeld = (held: number): string =>
  held === 0 ? '' : ` ${held} ${held === 1 ? 'is' : 'are'} notified when their quiet hours end.`;
