/** Subscriptions and switches. */
import * as v from 'valibot';
import { role, teamReference, user } from './accounts';
import { count, withDescription, doneWith, id, idField, sample, text, time } from './common';
import type { CallTable } from './common';
import { listOf, rowId } from './fields';
import { topic, topicReference, topics } from './topics';

/** How a person is subscribed. Subscriptions without these fields are by name. */
export const subscribedBy = {
  byName: v.exactOptional(
    withDescription(
      v.boolean(),
      '`false` if the person is subscribed only as a member of a team. Absent otherwise.',
      false,
    ),
  ),
  teams: v.exactOptional(
    withDescription(
      v.array(teamReference),
      'The person’s teams that are subscribed to the topic. Absent if there are none.',
    ),
  ),
};
export const subscription = v.object({
  id,
  createdAt: time,
  topic: v.object({ ...topicReference.entries, description: topic.entries.description }),
  ...subscribedBy,
});
export const subscriptions = v.array(subscription);

export const preference = v.object({ topicId: id, enabled: v.boolean() });
export const preferences = v.array(preference);

/** Absent unless true, so that the response is not longer for others. */
export const maySendField = v.exactOptional(
  withDescription(
    v.boolean(),
    '`true` if the user is a sender of at least one topic. Absent otherwise, and for administrators.',
    true,
  ),
);
const mayCheckIn = v.exactOptional(
  withDescription(
    v.boolean(),
    '`true` if check-ins are turned on, or if the user has a check-in that has not ended. Absent otherwise.',
    true,
  ),
);
const watchesCheckIns = v.exactOptional(
  withDescription(
    v.boolean(),
    '`true` if the user may read everyone’s check-ins, because the user may send to the topic that check-in alarms go to. Absent otherwise, and for administrators.',
    true,
  ),
);
/** What a person may do beside their role. */
export const ownRights = {
  maySend: maySendField,
  isAuditor: user.entries.isAuditor,
  mayCheckIn,
  watchesCheckIns,
};

/** The data of the screen after a sign-in, each part as its own call would return it. */
export const firstScreen = withDescription(
  v.object({ subscriptions, preferences, maySend: maySendField }),
  'The responses of `my-subscriptions` and `preferences`, and `maySend`. Absent for administrators. Also absent for people with more than 500 topics, or if the subscriptions are longer than 100,000 characters of JSON.',
);

export const subscriber = v.object({
  id,
  createdAt: time,
  user: v.object({
    id: v.exactOptional(sample(id, 2)),
    username: text('m.okafor'),
    role: sample(role, 'TECHNICIAN'),
  }),
  notificationStatus: v.picklist(['enabled', 'disabled', 'partial', 'no_devices']),
  enabledDevices: sample(count, 1),
  totalDevices: sample(count, 1),
  ...subscribedBy,
});
export const subscribers = v.array(subscriber);

/** The result of a change for many people. */
export const changed = v.object({
  changed: sample(count, 1),
  unchanged: withDescription(count, 'How many people or teams already had the requested state.', 0),
});

export type Subscription = v.InferOutput<typeof subscription>;
export type Preference = v.InferOutput<typeof preference>;
export type FirstScreen = v.InferOutput<typeof firstScreen>;
export type Subscriber = v.InferOutput<typeof subscriber>;
export type NotificationStatus = Subscriber['notificationStatus'];
export type ChangedSubscriptions = v.InferOutput<typeof changed>;

const MAX_CHANGED_PEOPLE = 10_000;
const userIds = listOf(
  rowId('User'),
  MAX_CHANGED_PEOPLE,
  `At most ${MAX_CHANGED_PEOPLE.toLocaleString('en')} people can be changed at once.`,
);
export const manyPeople = v.object({ userIds: sample(userIds, [1]) });
/** Each id has at most 16 digits and a comma. */
export const MANY_PEOPLE_BYTES = MAX_CHANGED_PEOPLE * 20;

const ofTopic = { id: idField('topic') };
const ofUser = { id: idField('user', 2) };
const ofDevice = { id: idField('device') };
const pair = v.object({ userId: sample(rowId('User'), 2), topicId: rowId('Topic') });
const ALL_OR_NONE =
  'Up to 10,000 people in one request. If any id is invalid, the request changes nothing. The body can have up to 195 KiB. If an id appears twice, it counts once.';
const INVALID_OR_UNKNOWN_USER = 'The body is invalid, or a user does not exist.';
const UNKNOWN_USER_OR_TOPIC = 'The user or the topic does not exist.';

export const subscriberCalls = {
  'GET /api/admin/topics/:id/subscribers': {
    does: 'List a topic’s subscribers',
    params: ofTopic,
    response: subscribers,
  },
  'POST /api/admin/topics/:id/subscribers': {
    does: 'Subscribe many users to a topic',
    more: `${ALL_OR_NONE} If someone has muted the topic, it stays muted.`,
    params: ofTopic,
    body: manyPeople,
    response: changed,
    errors: { 400: INVALID_OR_UNKNOWN_USER },
  },
  'DELETE /api/admin/topics/:id/subscribers': {
    does: 'Unsubscribe many users from a topic',
    more: ALL_OR_NONE,
    params: ofTopic,
    body: manyPeople,
    response: changed,
    errors: {
      400: INVALID_OR_UNKNOWN_USER,
      409: 'Some of the users are subscribed only through a team.',
    },
  },
} satisfies CallTable;

export const userSubscriptionCalls = {
  'GET /api/admin/users/:id/subscriptions': {
    does: 'List a user’s subscriptions',
    params: ofUser,
    response: subscriptions,
  },
  'GET /api/admin/users/:id/available-topics': {
    does: 'List the topics a user is not subscribed to',
    params: ofUser,
    response: topics,
  },
  'POST /api/admin/subscriptions': {
    does: 'Subscribe a user to a topic',
    more: 'Subscribing again returns the same subscription.',
    body: pair,
    response: subscription,
    errors: { 404: UNKNOWN_USER_OR_TOPIC },
  },
  'DELETE /api/admin/subscriptions': {
    does: 'Unsubscribe a user from a topic',
    body: pair,
    response: doneWith('The user was unsubscribed.'),
    errors: { 404: UNKNOWN_USER_OR_TOPIC, 409: 'The user is subscribed only through a team.' },
  },
} satisfies CallTable;

export const switchCalls = {
  'GET /api/notifications/my-subscriptions': {
    does: 'List your subscriptions',
    response: subscriptions,
  },
  'GET /notifications/subscriptions': {
    does: 'List your subscriptions (older path)',
    more: 'The app uses this path only if `my-subscriptions` returns 404.',
    response: subscriptions,
  },
  'GET /api/notifications/preferences': {
    does: 'List your preferences',
    more: 'Lists one preference for each topic you are subscribed to.',
    response: preferences,
  },
  'GET /api/notifications/preferences/:id': {
    does: 'List the preferences in effect on one of your devices',
    params: ofDevice,
    response: preferences,
  },
  'PUT /api/notifications/preferences/:id': {
    does: 'Mute or unmute a topic on one device',
    params: ofDevice,
    body: v.object({ topicId: rowId('Topic'), enabled: sample(v.boolean(), false) }),
    response: preference,
  },
  'PUT /api/notifications/preferences/global/:topicId': {
    does: 'Mute or unmute a topic on all your devices',
    more: 'Also replaces your settings for this topic on individual devices.',
    params: { topicId: idField('topic') },
    body: v.object({ enabled: v.boolean() }),
    response: preference,
  },
} satisfies CallTable;
