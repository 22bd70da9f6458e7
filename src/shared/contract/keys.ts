/** A topic's keys. A key lets a machine send to that topic and nothing else. */
import * as v from 'valibot';
import { count, described, doneWith, id, idOf, maybeTime, sample, time } from './common';
import type { CallTable } from './common';
import { requiredLine } from './fields';

export const topicKey = v.object({
  id,
  name: described(
    v.string(),
    'Its messages have the sender `key: NAME`.',
    'backup of the file server',
  ),
  prefix: described(v.string(), 'The key’s first eight characters.', 'fbk_7Qm2'),
  createdAt: time,
  lastUsedAt: described(maybeTime, 'To the minute; null if it was never used.'),
  heldBack: v.exactOptional(
    described(
      v.object({ alerts: count, since: time }),
      'At least so many messages were held back, as the key was over its limit; kept for a day.',
    ),
  ),
});
export const topicKeys = v.object({ keys: v.array(topicKey) });
export const newKey = v.object({
  ...topicKey.entries,
  key: described(v.string(), 'Told this once.', 'fbk_7Qm2xVc9TzR4yLdKf8sWbN1p'),
});

export type TopicKey = v.InferOutput<typeof topicKey>;

const ofTopic = { id: idOf('topic') };

export const keyCalls = {
  'GET /api/admin/topics/:id/keys': {
    does: 'List a topic’s keys',
    params: ofTopic,
    answer: topicKeys,
  },
  'POST /api/admin/topics/:id/keys': {
    does: 'Make a key for a topic',
    params: ofTopic,
    body: v.object({ name: sample(requiredLine('Name', 60), 'backup of the file server') }),
    answer: newKey,
  },
  'DELETE /api/admin/keys/:id': {
    does: 'Revoke a key',
    more: 'From then on it opens nothing.',
    params: { id: idOf('key') },
    answer: doneWith('The key was revoked.'),
  },
} satisfies CallTable;
