/** What a sender is told. */

export const NOBODY = 'Sent, but nobody is notified now:';
/** The audience of what leaves later is found when it leaves. */
export const SCHEDULED = 'Scheduled. It goes to whoever is in its audience when it leaves.';
/** The same of what can be undone for some seconds. */
export const describeHeldBack = (seconds: number): string =>
  `Sending in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. Cancel the message to undo it.`;

/** How many people it is for, at how many of them it rings now, and at how many later. */
export interface SendReach {
  people: number;
  /** They have a device that gets it. */
  reached: number;
  /** They would, but for their quiet hours. */
  held: number;
}

/** Of one topic. */
export function describeSubscribers({ people, reached, held }: SendReach): string {
  if (reached > 0 || held > 0)
    return `Sent. ${reached} of ${people} ${people === 1 ? 'subscriber is' : 'subscribers are'} being notified.${describeHeld(held)}`;
  if (people === 0) return `${NOBODY} this topic has no subscribers yet.`;
  const none =
    people === 1 ? 'the only subscriber has no' : `none of the ${people} subscribers has a`;
  return `${NOBODY} ${none} device with notifications enabled for this topic.`;
}

/** Of several topics and people. */
export function describePeople({ people, reached, held }: SendReach): string {
  if (reached === 0 && held === 0)
    return `${NOBODY} ${people === 1 ? 'this person has no' : `none of the ${people} people has a`} device with notifications enabled.`;
  const sent = `Sent to ${reached + held} ${reached + held === 1 ? 'person' : 'people'}`;
  const missed = people - reached - held;
  return `${sent}${missed === 0 ? '' : `, ${missed} cannot be reached`}.${describeHeld(held)}`;
}

/** Of so many that it would take long to find out who of them has a device. */
export function describeMany(people: number, isTopic: boolean, mayWait: boolean): string {
  const when = mayWait ? 'now, or when their quiet hours end' : 'now';
  return `Sent to ${people} ${isTopic ? 'subscribers' : 'people'}. Whoever of them has a device with notifications enabled is notified ${when}.`;
}

const describeHeld = (held: number): string =>
  held === 0 ? '' : ` ${held} ${held === 1 ? 'is' : 'are'} notified when their quiet hours end.`;
