/** Topics, subscriptions and switches. */
import * as v from 'valibot';
import type {
  Changed,
  FirstScreen,
  Preference,
  Subscriber,
  Subscription,
  Topic,
} from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { role } from './accounts';
import { count, id, text, time } from './common';

export const topic = shapeOf<Topic>()(
  v.object({
    id,
    title: text,
    description: text,
    createdAt: time,
    updatedAt: time,
    policyId: v.exactOptional(
      v.pipe(v.nullable(id), v.description('What happens to its messages that are not answered.')),
    ),
  }),
);
/** A topic as others name it. */
export const topicName = v.object({ id, title: text });

export const subscription = shapeOf<Subscription>()(
  v.object({ id, createdAt: time, topic: v.object({ id, title: text, description: text }) }),
);

export const subscriber = shapeOf<Subscriber>()(
  v.object({
    id,
    createdAt: time,
    user: v.object({ id: v.exactOptional(id), username: text, role }),
    notificationStatus: v.picklist(['enabled', 'disabled', 'partial', 'no_devices']),
    enabledDevices: count,
    totalDevices: count,
  }),
);

export const changed = shapeOf<Changed>()(
  v.object({
    changed: count,
    unchanged: v.pipe(count, v.description('Those who were as it was wanted already.')),
  }),
);

export const preference = shapeOf<Preference>()(v.object({ topicId: id, enabled: v.boolean() }));

/** Of a sign-in's answer. */
export const firstScreen = v.exactOptional(
  shapeOf<FirstScreen>()(
    v.pipe(
      v.object({ subscriptions: v.array(subscription), preferences: v.array(preference) }),
      v.description(
        'What `my-subscriptions` and `preferences` would answer. Not for administrators, nor where it would be large.',
      ),
    ),
  ),
);
