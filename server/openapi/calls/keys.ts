/** How machines send: keys of topics, publishing, hooks. */
import * as v from 'valibot';
import type {
  Alert,
  KeyCalls,
  Publication,
  Published,
  TopicKey,
} from '../../../src/shared/contract';
import { idOf } from '../call';
import type { Area } from '../call';
import { sent, storms } from '../samples';
import { done } from '../shapes/common';
import { hooked, newTopicKey, published, topicKey } from '../shapes/keys';

const key: TopicKey = {
  id: 1,
  name: 'backup of the file server',
  prefix: 'fbk_7Qm2',
  createdAt: '2026-11-20T08:00:00.000Z',
  lastUsedAt: null,
};
const TEXT = 'The backup of the file server failed.';
const publication: Publication = { message: TEXT, title: 'Backup', priority: 'urgent' };
const answer: Published = {
  id: sent.id,
  time: 1_795_161_600,
  event: 'message',
  topic: storms.title,
  message: TEXT,
};
/** ntfy has more names for each; all of them are read. */
const headers = {
  Title: { description: 'Its title.', schema: { type: 'string' }, example: 'Backup' },
  Priority: {
    description:
      '1 to 5, or `min`, `low`, `default`, `high`, `max`: 1 and 2 are `info`, 4 and 5 `urgent`.',
    schema: { type: 'string' },
    example: 'high',
  },
  Click: { description: 'A path of the app, or an https address.', schema: { type: 'string' } },
  Delay: {
    description: 'When it leaves: seconds since 1970, `30m`, `2h`, `1 day`, or a time.',
    schema: { type: 'string' },
  },
} as const;
const publish = {
  more: 'A text body is the message, also as `curl -d` sends it. Title, priority, link and time come from headers (or from the query, and under ntfy’s other names), or all from JSON; JSON that names a `topic` is read as ntfy’s.',
  body: publication,
  textBody: TEXT,
  headers,
  isRepeatable: true,
  shape: published,
  answer,
  refusals: {
    400: 'What was sent cannot be taken, such as a priority or a delay that cannot be read.',
    429: 'The key was used too often: 60 at once, then one a second.',
  },
} as const;
const topic = {
  description: 'Any: the topic is that of the key.',
  schema: { type: 'string' },
  example: 'storms',
} as const;

const alert: Alert = {
  status: 'firing',
  labels: { alertname: 'HighWaterLevel', severity: 'critical', instance: 'pump-7' },
  annotations: {
    summary: 'Pump 7: water is rising',
    description: 'The level is above 2.4 m for 5 minutes.',
  },
  startsAt: '2026-11-20T14:00:00.000Z',
  fingerprint: '1a2b3c4d5e6f7081',
  generatorURL: 'https://prometheus.example/graph?g0.expr=level',
};
const hook = {
  more: 'A message for each alert that began; what is over is resolved. Told again, nothing changes. A body may have 1 MiB, and of more than a thousand alerts the first thousand are taken.',
  body: { alerts: [alert] },
  shape: hooked,
  answer: { sent: 1, resolved: 0, unchanged: 0 },
  refusals: {
    400: 'The body is no JSON, or nested too deeply. A flaw of one alert keeps none from ringing.',
    503: 'The database cannot answer, or the key was used too often: such systems repeat after that alone.',
  },
};

export const keyCalls = {
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
  'GET /api/admin/topics/:id/keys': {
    does: 'List a topic’s keys',
    params: { id: idOf('topic', storms.id) },
    shape: v.object({ keys: v.array(topicKey) }),
    answer: { keys: [{ ...key, lastUsedAt: '2026-11-20T14:02:00.000Z' }] },
  },
  'POST /api/admin/topics/:id/keys': {
    does: 'Make a key for a topic',
    params: { id: idOf('topic', storms.id) },
    body: { name: key.name },
    shape: newTopicKey,
    answer: { ...key, key: 'fbk_7Qm2xVc9TzR4yLdKf8sWbN1p' },
  },
  'DELETE /api/admin/keys/:id': {
    does: 'Revoke a key',
    more: 'From then on it opens nothing.',
    params: { id: idOf('key', key.id) },
    shape: done,
    answer: { message: 'The key was revoked.' },
  },
} satisfies Area<KeyCalls>;
