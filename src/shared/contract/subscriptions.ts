/** Subscriptions and switches. */
import * as v from 'valibot';
import { roleSchema, teamReferenceSchema, userSchema } from './accounts';
import {
  countSchema,
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  withExamples,
  sampleText,
  timestampSchema,
} from './common';
import type { CallTable } from './common';
import { listOf, rowIdField } from './fields';
import { topicSchema, topicReferenceSchema, topicsSchema } from './topics';

/** How a person is subscribed. Subscriptions without these fields are by name. */
export const subscribedByFields = {
  byName: v.exactOptional(
    withDescription(
      v.boolean(),
      '`false` if the person is subscribed only as a member of a team. Absent otherwise.',
      false,
    ),
  ),
  teams: v.exactOptional(
    withDescription(
      v.array(teamReferenceSchema),
      'The person’s teams that are subscribed to the topic. Absent if there are none.',
    ),
  ),
};
export const subscriptionSchema = v.object({
  id: idSchema,
  createdAt: timestampSchema,
  topic: v.object({
    ...topicReferenceSchema.entries,
    description: topicSchema.entries.description,
  }),
  ...subscribedByFields,
});
export const subscriptionsSchema = v.array(subscriptionSchema);

export const preferenceSchema = v.object({ topicId: idSchema, enabled: v.boolean() });
export const preferencesSchema = v.array(preferenceSchema);

/** Absent unless true, so that the response is not longer for others. */
export const maySendSchema = v.exactOptional(
  withDescription(
    v.boolean(),
    '`true` if the user is a sender of at least one topic. Absent otherwise, and for administrators.',
    true,
  ),
);
const mayCheckInSchema = v.exactOptional(
  withDescription(
    v.boolean(),
    '`true` if check-ins are turned on, or if the user has a check-in that has not ended. Absent otherwise.',
    true,
  ),
);
const watchesCheckInsSchema = v.exactOptional(
  withDescription(
    v.boolean(),
    '`true` if the user may read everyone’s check-ins, because the user may send to the topic that check-in alarms go to. Absent otherwise, and for administrators.',
    true,
  ),
);
/** What a person may do beside their role. */
export const ownRightsFields = {
  maySend: maySendSchema,
  isAuditor: userSchema.entries.isAuditor,
  mayCheckIn: mayCheckInSchema,
  watchesCheckIns: watchesCheckInsSchema,
};

/** The data of the screen after a sign-in, each part as its own call would return it. */
export const firstScreenSchema = withDescription(
  v.object({
    subscriptions: subscriptionsSchema,
    preferences: preferencesSchema,
    maySend: maySendSchema,
  }),
  'The responses of `my-subscriptions` and `preferences`, and `maySend`. Absent for administrators. Also absent for people with more than 500 topics, or if the subscriptions are longer than 100,000 characters of JSON.',
);

export const subscriberSchema = v.object({
  id: idSchema,
  createdAt: timestampSchema,
  user: v.object({
    id: v.exactOptional(withExamples(idSchema, 2)),
    username: sampleText('m.okafor'),
    role: withExamples(roleSchema, 'TECHNICIAN'),
  }),
  notificationStatus: v.picklist(['enabled', 'disabled', 'partial', 'no_devices']),
  enabledDevices: withExamples(countSchema, 1),
  totalDevices: withExamples(countSchema, 1),
  ...subscribedByFields,
});
export const subscribersSchema = v.array(subscriberSchema);

/** The result of a change for many people. */
export const changedSchema = v.object({
  changed: withExamples(countSchema, 1),
  unchanged: withDescription(
    countSchema,
    'How many people or teams already had the requested state.',
    0,
  ),
});

export type Subscription = v.InferOutput<typeof subscriptionSchema>;
export type Preference = v.InferOutput<typeof preferenceSchema>;
export type FirstScreen = v.InferOutput<typeof firstScreenSchema>;
export type Subscriber = v.InferOutput<typeof subscriberSchema>;
export type NotificationStatus = Subscriber['notificationStatus'];
export type ChangedSubscriptions = v.InferOutput<typeof changedSchema>;

const MAX_CHANGED_PEOPLE = 10_000;
const userIdsSchema = listOf(
  rowIdField('User'),
  MAX_CHANGED_PEOPLE,
  `At most ${MAX_CHANGED_PEOPLE.toLocaleString('en')} people can be changed at once.`,
);
export const manyPeopleSchema = v.object({ userIds: withExamples(userIdsSchema, [1]) });
/** Each id has at most 16 digits and a comma. */
export const MANY_PEOPLE_BYTES = MAX_CHANGED_PEOPLE * 20;

const topicParams = { id: idField('topic') };
const userParams = { id: idField('user', 2) };
const deviceParams = { id: idField('device') };
const userTopicPairSchema = v.object({
  userId: withExamples(rowIdField('User'), 2),
  topicId: rowIdField('Topic'),
});
const ALL_OR_NONE =
  'Up to 10,000 people in one request. If any id is invalid, the request changes nothing. The body can have up to 195 KiB. If an id appears twice, it counts once.';
const INVALID_OR_UNKNOWN_USER = 'The body is invalid, or a user does not exist.';
const UNKNOWN_USER_OR_TOPIC = 'The user or the topic does not exist.';

export const subscriberCalls = {
  'GET /api/admin/topics/:id/subscribers': {
    does: 'List a topic’s subscribers',
    params: topicParams,
    response: subscribersSchema,
  },
  'POST /api/admin/topics/:id/subscribers': {
    does: 'Subscribe many users to a topic',
    more: `${ALL_OR_NONE} If someone has muted the topic, it stays muted.`,
    params: topicParams,
    body: manyPeopleSchema,
    response: changedSchema,
    errors: { 400: INVALID_OR_UNKNOWN_USER },
  },
  'DELETE /api/admin/topics/:id/subscribers': {
    does: 'Unsubscribe many users from a topic',
    more: ALL_OR_NONE,
    params: topicParams,
    body: manyPeopleSchema,
    response: changedSchema,
    errors: {
      400: INVALID_OR_UNKNOWN_USER,
      409: 'Some of the users are subscribed only through a team.',
    },
  },
} satisfies CallTable;

export const userSubscriptionCalls = {
  'GET /api/admin/users/:id/subscriptions': {
    does: 'List a user’s subscriptions',
    params: userParams,
    response: subscriptionsSchema,
  },
  'GET /api/admin/users/:id/available-topics': {
    does: 'List the topics a user is not subscribed to',
    params: userParams,
    response: topicsSchema,
  },
  'POST /api/admin/subscriptions': {
    does: 'Subscribe a user to a topic',
    more: 'Subscribing again returns the same subscription.',
    body: userTopicPairSchema,
    response: subscriptionSchema,
    errors: { 404: UNKNOWN_USER_OR_TOPIC },
  },
  'DELETE /api/admin/subscriptions': {
    does: 'Unsubscribe a user from a topic',
    body: userTopicPairSchema,
    response: messageResponseWith('The user was unsubscribed.'),
    errors: { 404: UNKNOWN_USER_OR_TOPIC, 409: 'The user is subscribed only through a team.' },
  },
} satisfies CallTable;

export const switchCalls = {
  'GET /api/notifications/my-subscriptions': {
    does: 'List your subscriptions',
    response: subscriptionsSchema,
  },
  'GET /notifications/subscriptions': {
    does: 'List your subscriptions (older path)',
    more: 'The app uses this path only if `my-subscriptions` returns 404.',
    response: subscriptionsSchema,
  },
  'GET /api/notifications/preferences': {
    does: 'List your preferences',
    more: 'Lists one preference for each topic you are subscribed to.',
    response: preferencesSchema,
  },
  'GET /api/notifications/preferences/:id': {
    does: 'List the preferences in effect on one of your devices',
    params: deviceParams,
    response: preferencesSchema,
  },
  'PUT /api/notifications/preferences/:id': {
    does: 'Mute or unmute a topic on one device',
    params: deviceParams,
    body: v.object({ topicId: rowIdField('Topic'), enabled: withExamples(v.boolean(), false) }),
    response: preferenceSchema,
  },
  'PUT /api/notifications/preferences/global/:topicId': {
    does: 'Mute or unmute a topic on all your devices',
    more: 'Also replaces your settings for this topic on individual devices.',
    params: { topicId: idField('topic') },
    body: v.object({ enabled: v.boolean() }),
    response: preferenceSchema,
  },
} satisfies CallTable;
