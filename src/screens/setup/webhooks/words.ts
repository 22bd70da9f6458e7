/** Webhooks in words: events and responses, with a tone. */
import type { Webhook, WebhookEvent } from '../../../shared/contract';
import { dayText } from '../../../ui/values/Day';

type Tone = 'ok' | 'bad';

const isGood = (status: number): boolean => status >= 200 && status < 300;

export function webhookResponseOf({
  lastStatus,
  offSince,
}: Webhook): readonly [Tone | undefined, string] {
  if (offSince !== null) return ['bad', 'Disabled'];
  if (lastStatus === null) return [undefined, 'Not called yet'];
  if (lastStatus === 0) return ['bad', 'No answer'];
  return [isGood(lastStatus) ? 'ok' : 'bad', `Last answer ${lastStatus}`];
}

export function webhookTestText(
  before: Webhook,
  { lastStatus, offSince }: Webhook,
): [string, Tone] {
  const on = before.offSince !== null && offSince === null ? ' It’s enabled again.' : '';
  return lastStatus
    ? [`The webhook answered ${lastStatus}.${on}`, isGood(lastStatus) ? 'ok' : 'bad']
    : ['The webhook didn’t answer.', 'bad'];
}

/** Why the webhook does not work; empty if it works. */
export const troubleOf = ({ failingSince, offSince }: Webhook): string =>
  offSince !== null
    ? `Since ${dayText(offSince)}. A successful test enables it again.`
    : failingSince !== null
      ? `Failing since ${dayText(failingSince)}. It will be disabled after 3 days.`
      : '';

/** With the words of the form and of the list. */
export const EVENTS: readonly (readonly [WebhookEvent, string, string])[] = [
  ['message.sent', 'A message is sent', 'sent'],
  ['message.acknowledged', 'Someone answers', 'answered'],
  ['message.escalated', 'A message is escalated', 'escalated'],
  ['device.failing', 'A device is failing', 'device failing'],
];

/** Such as `Sent, answered`. An unknown event is shown as it is. */
export function eventsText(events: readonly WebhookEvent[]): string {
  const known = EVENTS.filter(([event]) => events.includes(event)).map(([, , word]) => word);
  const others = events.filter((event) => !EVENTS.some(([one]) => one === event));
  const text = [...known, ...others].join(', ') || 'only used by policies';
  return text.charAt(0).toUpperCase() + text.slice(1);
}
