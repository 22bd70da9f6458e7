import { MANY_PEOPLE_BYTES } from '../../src/shared/contract/subscriptions';
import { NO_SUCH_USER, requireUser } from '../accounts/users';
import { NO_SUCH_DEVICE } from '../devices/devices';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { TEAMS_LOCK } from '../memberships/subscribe-members';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { countAudience } from './audience-size';
import { subscribeMany, unsubscribeMany } from './bulk-subscriptions';
import {
  listDevicePreferences,
  listPreferences,
  setAccountPreference,
  setDevicePreference,
} from './preferences';
import {
  listAvailableTopics,
  listSubscriptions,
  subscribeToTopic,
  unsubscribeFromTopic,
} from './subscriptions';

export function addSubscriptionRoutes(add: AddRoute, { db, now }: Services): void {
  add('GET /api/admin/users/:id/subscriptions', {
    action: 'subscribers.read',
    respond: async ({ params }) => {
      const user = await requireUser(readId(params.id, NO_SUCH_USER), db);
      return listSubscriptions(user.id, db);
    },
  });
  add('GET /api/admin/users/:id/available-topics', {
    action: 'subscribers.read',
    respond: ({ params }) => listAvailableTopics(readId(params.id, NO_SUCH_USER), db),
  });
  add('POST /api/admin/messages/audience', {
    action: 'messages.send',
    respond: async ({ body }) => ({ ...(await countAudience(body, db, now())), canUndo: true }),
  });
  add('POST /api/admin/subscriptions', {
    action: 'subscribers.change',
    respond: ({ body, transact }) =>
      transact((transaction) => subscribeToTopic(body, transaction, now())),
  });
  add('DELETE /api/admin/subscriptions', {
    action: 'subscribers.change',
    respond: async ({ body, transact }) => {
      await transact((transaction) => unsubscribeFromTopic(body, transaction), {
        lock: TEAMS_LOCK,
      });
      return { message: 'The user was unsubscribed.' };
    },
  });
  add('POST /api/admin/topics/:id/subscribers', {
    action: 'subscribers.change',
    maxBytes: MANY_PEOPLE_BYTES,
    respond: ({ params, body, transact }) => {
      const subscriptionRequest = { topicId: readId(params.id, NO_SUCH_TOPIC), ...body };
      return transact((transaction) => subscribeMany(subscriptionRequest, transaction, now()));
    },
  });
  add('DELETE /api/admin/topics/:id/subscribers', {
    action: 'subscribers.change',
    maxBytes: MANY_PEOPLE_BYTES,
    respond: ({ params, body, transact }) => {
      const subscriptionRequest = { topicId: readId(params.id, NO_SUCH_TOPIC), ...body };
      return transact((transaction) => unsubscribeMany(subscriptionRequest, transaction), {
        lock: TEAMS_LOCK,
      });
    },
  });
}

export function addTopicPreferenceRoutes(add: AddRoute, { db }: Services): void {
  add('GET /api/notifications/my-subscriptions', {
    action: 'preferences.read',
    respond: ({ user }) => listSubscriptions(user.id, db),
  });
  add('GET /notifications/subscriptions', {
    action: 'preferences.read',
    respond: ({ user }) => listSubscriptions(user.id, db),
  });
  add('GET /api/notifications/preferences', {
    action: 'preferences.read',
    respond: ({ user }) => listPreferences(user.id, db),
  });
  add('GET /api/notifications/preferences/:id', {
    action: 'preferences.read',
    respond: ({ params, user }) =>
      listDevicePreferences(readId(params.id, NO_SUCH_DEVICE), user.id, db),
  });
  add('PUT /api/notifications/preferences/:id', {
    action: 'preferences.change',
    respond: ({ params, body, user, transact }) =>
      setDevicePreference(readId(params.id, NO_SUCH_DEVICE), body, user.id, transact),
  });
  add('PUT /api/notifications/preferences/global/:topicId', {
    action: 'preferences.change',
    respond: ({ params, body, user, transact }) =>
      setAccountPreference(
        { topicId: readId(params.topicId, NO_SUCH_TOPIC), enabled: body.enabled },
        user.id,
        transact,
      ),
  });
}
