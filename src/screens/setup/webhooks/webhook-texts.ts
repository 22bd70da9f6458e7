/** Webhooks in words: events and responses, with a tone. */
import type { Webhook, WebhookEvent } from '../../../shared/contract';
import { dayText } from '../../../ui/values/Day';

type Tone = 'ok' | 'bad';

const isGood = (status: number): boolean => status >= 200 && status < 300;

export function webhookResponseText({
  lastStatus,
  offSince,
}: Webhook): readonly [Tone | undefined, string] {
  if (offSince !== null) return ['bad', 'Disabled'];
  if (lastStatus === null) return [undefined, 'Not called yet'];
  if (lastStatus === 0) return ['bad', 'No response'];
  return [isGood(lastStatus) ? 'ok' : 'bad', `Last response: ${lastStatus}`];
}

export function webhookTestText(
  formerWebhook: Webhook,
  { lastStatus, offSince }: Webhook,
): [string, Tone] {
  const enabledText =
    formerWebhook.offSince !== null && offSince === null ? ' The webhook is enabled again.' : '';
  return lastStatus
    ? [`The webhook responded with ${lastStatus}.${enabledText}`, isGood(lastStatus) ? 'ok' : 'bad']
    : ['The webhook didn’t respond.', 'bad'];
}

/** Why the webhook does not work; empty if it works. */
export const webhookProblem = ({ failingSince, offSince }: Webhook): string =>
  offSince !== null
    ? `Disabled since ${dayText(offSince)}. A successful test enables the webhook again.`
    : failingSince !== null
      ? `Failing since ${dayText(failingSince)}. After 3 days of failures, the webhook is disabled.`
      : '';

/** Each event, with its name in the form and its name in the list. */
export const WEBHOOK_EVENTS: readonly (readonly [WebhookEvent, string, string])[] = [
  ['message.sent', 'A message is sent', 'Sent'],
  ['message.acknowledged', 'Someone answers', 'Answered'],
  ['message.escalated', 'A message is escalated', 'Escalated'],
  ['message.corrected', 'A message is corrected', 'Corrected'],
  ['message.all-clear', 'An all-clear is sent', 'All-clear'],
  ['device.failing', 'A device is failing', 'Device failing'],
];

/** Lists events: `Sent, answered`. Unknown events keep the server's name. */
export function eventsText(events: readonly WebhookEvent[]): string {
  // English lists continue in lower case; German nouns and Arabic could not.
  const knownEvents = WEBHOOK_EVENTS.filter(([event]) => events.includes(event)).map(
    ([, , word]) => (LANGUAGE === 'en' ? word.toLowerCase() : word),
  );
  const otherEvents = events.filter((event) => !WEBHOOK_EVENTS.some(([one]) => one === event));
  const text = [...knownEvents, ...otherEvents].join(', ') || 'only used by policies';
  return text.charAt(0).toUpperCase() + text.slice(1);
}
