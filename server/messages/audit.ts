/** How the audit log tells of a message: by its audience, never in its own words. */
import type { NewEntry } from '../audit/record';
import type { MessageRow } from '../db/schema';
import { inNumber } from '../lib/in-number';
import type { AudienceIds } from '../subscriptions/audience';
import { audienceOfRow } from './find';

/** @param firstTopic its title; empty where there is none */
export function targetOf(
  firstTopic: string,
  { topicIds, userIds }: AudienceIds,
): Pick<NewEntry, 'person' | 'on'> {
  const [person] = userIds;
  if (topicIds.length === 0 && userIds.length === 1) return { person };
  const others = topicIds.length - 1 + (userIds.length > 0 ? 1 : 0);
  if (topicIds.length === 0) return { on: inNumber(userIds.length, 'person', 'people') };
  return { on: others === 0 ? firstTopic : `${firstTopic} + ${others}` };
}

export const targetOfRow = (row: MessageRow): Pick<NewEntry, 'person' | 'on'> =>
  targetOf(row.topic_title, audienceOfRow(row));

/** @param people how many it is for; undefined where that is found when it leaves */
export function describeSent({
  people,
  sendAt,
  priority,
}: {
  people: number | undefined;
  sendAt: number;
  priority: string;
}): string {
  const whom =
    people === undefined
      ? `leaves ${new Date(sendAt).toISOString()}`
      : inNumber(people, 'person', 'people');
  return priority === 'normal' ? whom : `${whom}, ${priority}`;
}
