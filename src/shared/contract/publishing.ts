/** How machines send: an API compatible with ntfy, and hooks of monitoring systems. */
import * as v from 'valibot';
import { countSchema, withDescription, withExamples, sampleText, uuidSchema } from './common';
import type { CallTable, DescribedCall } from './common';
import { messageTextFields, timeField } from './message-fields';

const EXAMPLE_TEXT = 'The backup of the file server failed.';

/** A published message in ntfy's format. */
export const publishedSchema = v.object({
  id: uuidSchema,
  time: withDescription(
    countSchema,
    'When the message is sent, in seconds since 1970.',
    1_795_161_600,
  ),
  event: v.literal('message'),
  topic: withDescription(v.string(), 'The title of the key’s topic.', 'Storm warnings'),
  message: sampleText(EXAMPLE_TEXT),
});
/** The outcome of all accepted alerts. */
export const alertsResultSchema = v.object({
  sent: withDescription(countSchema, 'How many messages were sent.', 1),
  resolved: withDescription(
    countSchema,
    'How many alerts were resolved. Their messages are marked as resolved.',
    0,
  ),
  unchanged: withDescription(
    countSchema,
    'How many alerts changed nothing, usually because they had already been received.',
    0,
  ),
});

export const PUBLISH_PRIORITIES = [
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
export const INVALID_PRIORITY =
  'Priority must be 1 to 5, or min, low, default, high, max, info, normal or urgent.';
/** `topic`, `click` and `delay` are ntfy's: the key decides the topic, and `click` is `link`. */
export const publicationSchema = v.object({
  message: withExamples(messageTextFields.message, EXAMPLE_TEXT),
  title: withExamples(messageTextFields.title, 'Backup'),
  priority: v.exactOptional(
    withExamples(v.picklist([...PUBLISH_PRIORITIES, 1, 2, 3, 4, 5], INVALID_PRIORITY), 'urgent'),
  ),
  link: messageTextFields.link,
  answers: messageTextFields.answers,
  helpAnswers: messageTextFields.helpAnswers,
  translations: messageTextFields.translations,
  sendAt: v.exactOptional(timeField('Send at')),
  expiresAt: v.exactOptional(timeField('Expires at')),
  topic: v.exactOptional(v.string()),
  click: v.exactOptional(v.string()),
  delay: v.exactOptional(v.union([v.string(), v.number()], 'Delay must be text or a number.')),
});

const labelSchema = v.fallback(v.string(), '');
const optionalLabelSchema = v.fallback(v.optional(v.string(), ''), '');
const labelsSchema = v.record(v.string(), labelSchema);
/** Alertmanager's (version 4) or Grafana's. A flaw in one alert must not suppress any alert. */
const alertSchema = v.object({
  status: v.fallback(v.picklist(['firing', 'resolved']), 'firing'),
  labels: withExamples(v.fallback(labelsSchema, {}), {
    alertname: 'HighWaterLevel',
    severity: 'critical',
    instance: 'pump-7',
  }),
  annotations: withExamples(v.fallback(v.optional(labelsSchema, {}), {}), {
    summary: 'Pump 7: water is rising',
    description: 'The level has been above 2.4 m for 5 minutes.',
  }),
  startsAt: withExamples(labelSchema, '2026-11-20T14:00:00.000Z'),
  endsAt: optionalLabelSchema,
  fingerprint: withExamples(labelSchema, '1a2b3c4d5e6f7081'),
  generatorURL: withExamples(optionalLabelSchema, 'https://prometheus.example/graph?g0.expr=level'),
  dashboardURL: optionalLabelSchema,
  panelURL: optionalLabelSchema,
});
export const alertsSchema = v.object({
  alerts: v.array(alertSchema),
  truncatedAlerts: v.exactOptional(
    withDescription(
      v.fallback(v.number(), 0),
      'How many alerts the monitoring system left out of this request.',
    ),
  ),
});

export type Published = v.InferOutput<typeof publishedSchema>;
export type AlertsResult = v.InferOutput<typeof alertsResultSchema>;
export type Publication = v.InferOutput<typeof publicationSchema>;
export type Alert = v.InferInput<typeof alertSchema>;
export type Alerts = v.InferOutput<typeof alertsSchema>;

const publishCall = {
  more: 'Send the message as a plain text body, for example with `curl -d`. The title, priority, link and time are headers or query parameters. The short names that ntfy allows for them also work. You can also send everything as JSON. JSON with a `topic` is read as ntfy’s JSON format.',
  body: publicationSchema,
  textBody: EXAMPLE_TEXT,
  headers: {
    Title: withDescription(v.string(), 'The title of the message.', 'Backup'),
    Priority: withDescription(
      v.string(),
      '`info` (also 1, 2, `min` or `low`), `normal` (also 3 or `default`) or `urgent` (also 4, 5, `high` or `max`).',
      'high',
    ),
    Click: withDescription(
      v.string(),
      'The link of the message: a path in the app, or an https URL.',
    ),
    Delay: withDescription(
      v.string(),
      'When to send the message: seconds since 1970, `30m`, `2h`, `1 day`, an ISO 8601 time, or a time such as `tomorrow, 10am` in the server’s time zone.',
    ),
  },
  isRepeatable: true,
  response: publishedSchema,
  errors: {
    400: 'The request is invalid, for example because of an unknown priority or delay.',
    429: 'The key was used too often. It can send 60 messages at once, then one per second, and at most 2,000 messages or 64 MiB an hour.',
  },
} satisfies Omit<DescribedCall, 'does'>;
const topicSchema = withDescription(
  v.string(),
  'Ignored. The message always goes to the key’s topic.',
  'storms',
);
const alertsCall = {
  more: 'Sends a message for each new alert. When an alert ends, its message is resolved. Repeated alerts change nothing. The body can have up to 1 MiB. Alerts after the first 1,000 are ignored.',
  body: alertsSchema,
  response: alertsResultSchema,
  errors: {
    400: 'The body is not JSON, has no `alerts`, or is nested too deeply. An invalid alert does not stop the others.',
    503: 'The database is unavailable, or the key exceeded its limits: those of `POST /api/publish`, and 5,000 resolved alerts an hour. The status is 503 rather than 429 because monitoring systems only retry after a 5xx.',
  },
} satisfies Omit<DescribedCall, 'does'>;

export const publishCalls = {
  'POST /api/publish': { does: 'Send to the key’s topic', ...publishCall },
  'PUT /api/publish': { does: 'Send to the key’s topic with PUT', ...publishCall },
  'POST /api/publish/:topic': {
    does: 'Send to the key’s topic (ignores the topic in the path)',
    ...publishCall,
    params: { topic: topicSchema },
  },
  'PUT /api/publish/:topic': {
    does: 'Send to the key’s topic with PUT (ignores the topic in the path)',
    ...publishCall,
    params: { topic: topicSchema },
  },
  'POST /api/hooks/alertmanager': { does: 'Send alerts from Alertmanager', ...alertsCall },
  'POST /api/hooks/grafana': { does: 'Send alerts from Grafana', ...alertsCall },
} satisfies CallTable;
