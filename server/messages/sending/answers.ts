/** What a sender is told. */

export const NOBODY = 'Sent, but nobody is notified now:';
/** The audience of what leaves later is found when it leaves. */
export const SCHEDULED = 'Scheduled. It goes to whoever is in its audience when it leaves.';

/** Of one topic. @param reached how many of its subscribers have a device that gets it */
export function describeSubscribers(reached: number, subscribers: number): string {
  if (reached > 0)
    return `Sent. ${reached} of ${subscribers} ${subscribers === 1 ? 'subscriber is' : 'subscribers are'} notified now.`;
  if (subscribers === 0) return `${NOBODY} this topic has no subscribers yet.`;
  const none =
    subscribers === 1
      ? 'the only subscriber has no'
      : `none of the ${subscribers} subscribers has a`;
  return `${NOBODY} ${none} device with notifications enabled for this topic.`;
}

/** Of several topics and people. */
export function describePeople(reached: number, people: number): string {
  if (reached === 0)
    return `${NOBODY} ${people === 1 ? 'this person has no' : `none of the ${people} people has a`} device with notifications enabled.`;
  const sent = `Sent to ${reached} ${reached === 1 ? 'person' : 'people'}`;
  return reached === people ? `${sent}.` : `${sent}, ${people - reached} cannot be reached.`;
}
