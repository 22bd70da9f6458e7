/** A topic's keys. A key only lets a machine send to that topic. */
import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  nullableTimestampSchema,
  withExamples,
  timestampSchema,
} from './common';
import type { CallTable } from './common';
import { requiredLine } from './fields';

export const topicKeySchema = v.object({
  id: idSchema,
  name: withDescription(
    v.string(),
    'The name of the key. Messages sent with the key have the sender `key: NAME`.',
    'backup of the file server',
  ),
  prefix: withDescription(v.string(), 'The key’s first eight characters.', 'fbk_7Qm2'),
  createdAt: timestampSchema,
  lastUsedAt: withDescription(
    nullableTimestampSchema,
    'When the key was last used. The server updates this time at most once a minute. Null if the key was never used.',
  ),
  heldBack: v.exactOptional(
    withDescription(
      v.object({ alerts: countSchema, since: timestampSchema }),
      'Present for a day after the key exceeded its limit. At least `alerts` messages were rejected.',
    ),
  ),
});
export const topicKeysSchema = v.object({ keys: v.array(topicKeySchema) });
export const newKeySchema = v.object({
  ...topicKeySchema.entries,
  key: withDescription(
    v.string(),
    'The key. It is shown only once.',
    'fbk_7Qm2xVc9TzR4yLdKf8sWbN1p',
  ),
});

export type TopicKey = v.InferOutput<typeof topicKeySchema>;

const topicParams = { id: idField('topic') };

export const keyCalls = {
  'GET /api/admin/topics/:id/keys': {
    does: 'List a topic’s keys',
    params: topicParams,
    response: topicKeysSchema,
  },
  'POST /api/admin/topics/:id/keys': {
    does: 'Create a topic key',
    params: topicParams,
    body: v.object({ name: withExamples(requiredLine('Name', 60), 'backup of the file server') }),
    response: newKeySchema,
    errors: { 409: 'The topic already has 50 keys.' },
  },
  'DELETE /api/admin/keys/:id': {
    does: 'Revoke a key',
    more: 'The key stops working immediately.',
    params: { id: idField('key') },
    response: messageResponseWith('The key was revoked.'),
  },
} satisfies CallTable;
