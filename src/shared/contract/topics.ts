import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  pageFields,
  pagingFields,
  withExamples,
  sampleText,
  timestampSchema,
} from './common';
import type { CallTable } from './common';
import { requiredLine, requiredText, rowIdField } from './fields';

export const topicSchema = v.object({
  id: idSchema,
  title: sampleText('Storm warnings'),
  description: sampleText('Wind and lightning where someone works outside.'),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  policyId: v.exactOptional(
    withDescription(
      v.nullable(idSchema),
      'The escalation policy for messages to this topic. Null if there is none.',
      null,
    ),
  ),
});
export const topicReferenceSchema = v.object({ id: idSchema, title: topicSchema.entries.title });
export const topicsSchema = v.array(topicSchema);
const listedTopicSchema = v.object({
  ...topicSchema.entries,
  subscribers: v.exactOptional(withDescription(countSchema, 'How many people are subscribed.', 14)),
});
export const topicPageSchema = v.object({ topics: v.array(listedTopicSchema), ...pageFields });

export type Topic = v.InferOutput<typeof topicSchema>;
export type ListedTopic = v.InferOutput<typeof listedTopicSchema>;
export type TopicPage = v.InferOutput<typeof topicPageSchema>;

/** The escalation policy of a topic or a message. Null means none. */
export const policyIdSchema = v.exactOptional(v.nullable(rowIdField('Policy')));
const topicFieldsSchema = v.object({
  title: withExamples(requiredLine('Title', 200), 'Storm warnings'),
  description: withExamples(
    requiredText('Description', 2000),
    'Wind and lightning where someone works outside.',
  ),
  policyId: policyIdSchema,
});
const INVALID_OR_UNKNOWN_POLICY = 'The body is invalid, or the policy does not exist.';

export const topicCalls = {
  'GET /api/admin/topics': {
    does: 'List topics',
    query: pagingFields('Text to search for in titles and descriptions.'),
    response: topicPageSchema,
  },
  'POST /api/admin/topics': {
    does: 'Add a topic',
    body: withExamples(topicFieldsSchema, {
      title: 'Road closures',
      description: 'Detours for crews.',
    }),
    isRepeatable: true,
    response: topicSchema,
    errors: { 400: INVALID_OR_UNKNOWN_POLICY },
  },
  'GET /api/admin/topics/:id': {
    does: 'Get a topic',
    params: { id: idField('topic') },
    response: topicSchema,
  },
  'PUT /api/admin/topics/:id': {
    does: 'Change a topic',
    more: 'If you leave out `policyId`, the policy stays the same.',
    params: { id: idField('topic') },
    body: topicFieldsSchema,
    response: topicSchema,
    errors: { 400: INVALID_OR_UNKNOWN_POLICY },
  },
  'DELETE /api/admin/topics/:id': {
    does: 'Delete a topic',
    more: 'Messages to the topic stay in people’s inboxes.',
    params: { id: idField('topic', 2) },
    response: messageResponseWith('The topic was deleted.'),
    errors: {
      409: 'An escalation policy notifies this topic. Or check-ins are turned on, and their alarms go to this topic. Or the alarm of a check-in went to this topic, and has no all-clear yet.',
    },
  },
} satisfies CallTable;
