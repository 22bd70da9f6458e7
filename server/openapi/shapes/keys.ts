/** Keys of topics, and what machines are answered. */
import * as v from 'valibot';
import type { Hooked, Published, TopicKey } from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { count, id, maybeTime, text, time, uuid } from './common';

const ofKey = {
  id,
  name: text,
  prefix: v.pipe(text, v.description('The key’s first eight characters.')),
  createdAt: time,
  lastUsedAt: v.pipe(maybeTime, v.description('To the minute; null if it was never used.')),
  heldBack: v.exactOptional(
    v.pipe(
      v.object({ alerts: count, since: time }),
      v.description(
        'At least so many messages were held back, as the key was over its limit; kept for a day.',
      ),
    ),
  ),
};
export const topicKey = shapeOf<TopicKey>()(v.object(ofKey));
export const newTopicKey = shapeOf<TopicKey & { key: string }>()(
  v.object({ ...ofKey, key: v.pipe(text, v.description('Told this once.')) }),
);

export const published = shapeOf<Published>()(
  v.object({
    id: uuid,
    time: v.pipe(count, v.description('When it leaves, or left, in seconds since 1970.')),
    event: v.literal('message'),
    topic: v.pipe(text, v.description('The topic’s title.')),
    message: text,
  }),
);

export const hooked = shapeOf<Hooked>()(
  v.object({
    sent: v.pipe(count, v.description('So many messages were sent.')),
    resolved: v.pipe(count, v.description('So many ended, and their messages with them.')),
    unchanged: v.pipe(count, v.description('Of so many nothing was new.')),
  }),
);
