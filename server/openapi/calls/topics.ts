/** Topics, and what people have of them. */
import * as v from 'valibot';
import type { TopicCalls } from '../../../src/shared/contract';
import { idOf } from '../call';
import type { Area } from '../call';
import { paging } from '../parameters';
import { admin, device, outages, storms, subscription, technician } from '../samples';
import { done, page } from '../shapes/common';
import {
  changed,
  preference,
  subscriber,
  subscription as subscriptionShape,
  topic,
} from '../shapes/topics';

const ofTopic = { id: idOf('topic', storms.id) };
const ofDevice = { id: idOf('device', device.id) };
const title = 'Road closures';
const description = 'Where a crew has to go another way.';
const RINGS_IT = 'A policy rings this topic.';
const NO_POLICY = 'What was sent cannot be taken, or there is no such policy.';
const people = { userIds: [admin.id] };
const ALL_OR_NONE =
  'Up to 10,000 of them, all or none, in a body of up to 195 KiB. Who is named twice counts once.';
const NO_USER = 'What was sent cannot be taken, or a user does not exist.';

export const topicCalls = {
  'GET /api/admin/topics': {
    does: 'List topics',
    query: paging('in titles and descriptions'),
    shape: v.object({ topics: v.array(topic), ...page }),
    answer: { topics: [outages, storms], total: 2, page: 1, limit: 10 },
  },
  'POST /api/admin/topics': {
    does: 'Add a topic',
    body: { title, description },
    isRepeatable: true,
    shape: topic,
    answer: { ...storms, id: 3, title, description },
    refusals: { 400: NO_POLICY },
  },
  'PUT /api/admin/topics/:id': {
    does: 'Change a topic',
    more: '`policyId` left out keeps what is set.',
    params: ofTopic,
    body: { title: storms.title, description: storms.description, policyId: null },
    shape: topic,
    answer: { ...storms, updatedAt: '2026-11-20T09:30:00.000Z' },
    refusals: { 400: NO_POLICY },
  },
  'DELETE /api/admin/topics/:id': {
    does: 'Delete a topic',
    more: 'Its messages stay in people’s inboxes.',
    params: { id: idOf('topic', outages.id) },
    shape: done,
    answer: { message: 'The topic was deleted.' },
    refusals: { 409: RINGS_IT },
  },
  'GET /api/admin/topics/:id/subscribers': {
    does: 'List a topic’s subscribers',
    params: ofTopic,
    shape: v.array(subscriber),
    answer: [
      {
        id: subscription.id,
        createdAt: subscription.createdAt,
        user: { id: technician.id, username: technician.username, role: 'TECHNICIAN' },
        notificationStatus: 'enabled',
        enabledDevices: 1,
        totalDevices: 1,
      },
    ],
  },
  'POST /api/admin/topics/:id/subscribers': {
    does: 'Subscribe many users to a topic',
    more: `${ALL_OR_NONE} What somebody had switched off stays off.`,
    params: ofTopic,
    body: people,
    shape: changed,
    answer: { changed: 1, unchanged: 0 },
    refusals: { 400: NO_USER },
  },
  'DELETE /api/admin/topics/:id/subscribers': {
    does: 'Unsubscribe many users from a topic',
    more: ALL_OR_NONE,
    params: ofTopic,
    body: people,
    shape: changed,
    answer: { changed: 1, unchanged: 0 },
    refusals: { 400: NO_USER },
  },
} satisfies Partial<Area<TopicCalls>>;

export const switchCalls = {
  'GET /api/notifications/my-subscriptions': {
    does: 'List one’s own subscriptions',
    shape: v.array(subscriptionShape),
    answer: [subscription],
  },
  'GET /notifications/subscriptions': {
    does: 'List one’s own subscriptions, by the older path',
    more: 'Asked only where `my-subscriptions` answers 404.',
    shape: v.array(subscriptionShape),
    answer: [subscription],
  },
  'GET /api/notifications/preferences': {
    does: 'List the account’s switches',
    more: 'One for each subscribed topic.',
    shape: v.array(preference),
    answer: [{ topicId: storms.id, enabled: true }],
  },
  'GET /api/notifications/preferences/:id': {
    does: 'List the switches in force on one of one’s own devices',
    params: ofDevice,
    shape: v.array(preference),
    answer: [{ topicId: storms.id, enabled: true }],
  },
  'PUT /api/notifications/preferences/:id': {
    does: 'Switch a topic on or off on one device',
    params: ofDevice,
    body: { topicId: storms.id, enabled: false },
    shape: preference,
    answer: { topicId: storms.id, enabled: false },
  },
  'PUT /api/notifications/preferences/global/:topicId': {
    does: 'Switch a topic on or off on all of one’s devices',
    more: 'What single devices had set for the topic is dropped.',
    params: { topicId: idOf('topic', storms.id) },
    body: { enabled: true },
    shape: preference,
    answer: { topicId: storms.id, enabled: true },
  },
} satisfies Partial<Area<TopicCalls>>;
