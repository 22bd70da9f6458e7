/** How machines send: an API compatible with ntfy, and hooks of monitoring systems. */
import * as v from 'valibot';
import { count, described, sample, text, uuid } from './common';
import type { CallTable, DescribedCall } from './common';
import { messageText, timeField } from './message-fields';

const TEXT = 'The backup of the file server failed.';

/** In ntfy's format. */
export const published = v.object({
  id: uuid,
  time: described(count, 'When it leaves, or left, in seconds since 1970.', 1_795_161_600),
  event: v.literal('message'),
  topic: described(v.string(), 'The topic’s title.', 'Storm warnings'),
  message: text(TEXT),
});
/** The outcome of all accepted alerts. */
export const hooked = v.object({
  sent: described(count, 'So many messages were sent.', 1),
  resolved: described(count, 'So many ended, and their messages with them.', 0),
  unchanged: described(count, 'Of so many nothing was new.', 0),
});

export const PRIORITY_NAMES = [
  'info',
  'normal',
  'urgent',
  '1',
  '2',
  '3',
  '4',
  '5',
  'min',
  'low',
  'default',
  'high',
  'max',
] as const;
export const NO_PRIORITY =
  'Priority must be 1 to 5, or min, low, default, high, max, info, normal or urgent.';
/** `topic`, `click` and `delay` are ntfy's: the key decides the topic, and `click` is `link`. */
export const publication = v.object({
  message: sample(messageText.message, TEXT),
  title: sample(messageText.title, 'Backup'),
  priority: v.exactOptional(
    sample(v.picklist([...PRIORITY_NAMES, 1, 2, 3, 4, 5], NO_PRIORITY), 'urgent'),
  ),
  link: messageText.link,
  answers: messageText.answers,
  sendAt: v.exactOptional(timeField('Send at')),
  expiresAt: v.exactOptional(timeField('Expires at')),
  topic: v.exactOptional(v.string()),
  click: v.exactOptional(v.string()),
  delay: v.exactOptional(v.union([v.string(), v.number()], 'Delay must be text or a number.')),
});

const word = v.fallback(v.string(), '');
const wordOrNone = v.fallback(v.optional(v.string(), ''), '');
const words = v.record(v.string(), word);
/** Alertmanager's (version 4) or Grafana's. A flaw in one alert must not suppress any alert. */
const alert = v.object({
  status: v.fallback(v.picklist(['firing', 'resolved']), 'firing'),
  labels: sample(v.fallback(words, {}), {
    alertname: 'HighWaterLevel',
    severity: 'critical',
    instance: 'pump-7',
  }),
  annotations: sample(v.fallback(v.optional(words, {}), {}), {
    summary: 'Pump 7: water is rising',
    description: 'The level is above 2.4 m for 5 minutes.',
  }),
  startsAt: sample(word, '2026-11-20T14:00:00.000Z'),
  endsAt: wordOrNone,
  fingerprint: sample(word, '1a2b3c4d5e6f7081'),
  generatorURL: sample(wordOrNone, 'https://prometheus.example/graph?g0.expr=level'),
  dashboardURL: wordOrNone,
  panelURL: wordOrNone,
});
export const alerts = v.object({
  alerts: v.array(alert),
  truncatedAlerts: v.exactOptional(
    described(v.fallback(v.number(), 0), 'So many more were not taken.'),
  ),
});

export type Published = v.InferOutput<typeof published>;
export type Hooked = v.InferOutput<typeof hooked>;
export type Publication = v.InferOutput<typeof publication>;
export type Alert = v.InferInput<typeof alert>;
export type Alerts = v.InferOutput<typeof alerts>;

const publish = {
  more: 'A text body is the message, also as `curl -d` sends it. Title, priority, link and time come from headers (or from the query, and under ntfy’s other names), or all from JSON; JSON that names a `topic` is read as ntfy’s.',
  body: publication,
  textBody: TEXT,
  headers: {
    Title: described(v.string(), 'Its title.', 'Backup'),
    Priority: described(
      v.string(),
      '1 to 5, or `min`, `low`, `default`, `high`, `max`: 1 and 2 are `info`, 4 and 5 `urgent`.',
      'high',
    ),
    Click: described(v.string(), 'A path of the app, or an https address.'),
    Delay: described(
      v.string(),
      'When it leaves: seconds since 1970, `30m`, `2h`, `1 day`, or a time.',
    ),
  },
  isRepeatable: true,
  answer: published,
  refusals: {
    400: 'What was sent cannot be taken, such as a priority or a delay that cannot be read.',
    429: 'The key was used too often: 60 at once, then one a second.',
  },
} satisfies Omit<DescribedCall, 'does'>;
const topic = described(v.string(), 'Any: the topic is that of the key.', 'storms');
const hook = {
  more: 'A message for each alert that began; what is over is resolved. Told again, nothing changes. A body may have 1 MiB, and of more than a thousand alerts the first thousand are taken.',
  body: alerts,
  answer: hooked,
  refusals: {
    400: 'The body is no JSON, or nested too deeply. A flaw of one alert keeps none from ringing.',
    503: 'The database cannot answer, or the key was used too often: such systems repeat after that alone.',
  },
} satisfies Omit<DescribedCall, 'does'>;

export const publishCalls = {
  'POST /api/publish': { does: 'Send to the key’s topic', ...publish },
  'PUT /api/publish': { does: 'Send to the key’s topic, with PUT', ...publish },
  'POST /api/publish/:topic': {
    does: 'Send to the key’s topic, whatever topic is named',
    ...publish,
    params: { topic },
  },
  'PUT /api/publish/:topic': {
    does: 'Send to the key’s topic, whatever topic is named, with PUT',
    ...publish,
    params: { topic },
  },
  'POST /api/hooks/alertmanager': { does: 'Take alerts of Alertmanager', ...hook },
  'POST /api/hooks/grafana': { does: 'Take alerts of Grafana', ...hook },
} satisfies CallTable;
