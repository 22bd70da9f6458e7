import * as v from 'valibot';
import { withDescription, doneWith, id, idField, page, paging, sample, text, time } from './common';
import type { CallTable } from './common';
import { requiredLine, requiredText, rowId } from './fields';

export const topic = v.object({
  id,
  title: text('Storm warnings'),
  description: text('Wind and lightning where someone works outside.'),
  createdAt: time,
  updatedAt: time,
  policyId: v.exactOptional(
    withDescription(
      v.nullable(id),
      'The escalation policy for messages to this topic. Null if there is none.',
      null,
    ),
  ),
});
export const topicReference = v.object({ id, title: topic.entries.title });
export const topics = v.array(topic);
export const topicPage = v.object({ topics: v.array(topic), ...page });

export type Topic = v.InferOutput<typeof topic>;
export type TopicPage = v.InferOutput<typeof topicPage>;

/** The escalation policy of a topic or a message. Null means none. */
export const policyId = v.exactOptional(v.nullable(rowId('Policy')));
const fields = v.object({
  title: sample(requiredLine('Title', 200), 'Storm warnings'),
  description: sample(
    requiredText('Description', 2000),
    'Wind and lightning where someone works outside.',
  ),
  policyId,
});
const INVALID_OR_UNKNOWN_POLICY = 'The body is invalid, or the policy does not exist.';

export const topicCalls = {
  'GET /api/admin/topics': {
    does: 'List topics',
    query: paging('Text to search for in titles and descriptions.'),
    response: topicPage,
  },
  'POST /api/admin/topics': {
    does: 'Add a topic',
    body: sample(fields, {
      title: 'Road closures',
      description: 'Detours for crews.',
    }),
    isRepeatable: true,
    response: topic,
    errors: { 400: INVALID_OR_UNKNOWN_POLICY },
  },
  'GET /api/admin/topics/:id': {
    does: 'Get a topic',
    params: { id: idField('topic') },
    response: topic,
  },
  'PUT /api/admin/topics/:id': {
    does: 'Change a topic',
    more: 'If you leave out `policyId`, the policy stays the same.',
    params: { id: idField('topic') },
    body: fields,
    response: topic,
    errors: { 400: INVALID_OR_UNKNOWN_POLICY },
  },
  'DELETE /api/admin/topics/:id': {
    does: 'Delete a topic',
    more: 'Messages to the topic stay in people’s inboxes.',
    params: { id: idField('topic', 2) },
    response: doneWith('The topic was deleted.'),
    errors: {
      409: 'An escalation policy notifies this topic. Or check-ins are turned on, and their alarms go to this topic.',
    },
  },
} satisfies CallTable;
