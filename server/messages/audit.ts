/** Describes a message in the audit log: by its audience, never by its text. */
import type { NewEntry } from '../audit/record';
import type { MessageRow } from '../db/schema';
import { countedNoun } from '../lib/in-number';
import type { AudienceIds } from '../subscriptions/audience';
import { audienceOfRow } from './find';
import { toTime } from '../lib/clock';

export function targetOf(
  firstTopic: string,
  { topicIds, userIds }: AudienceIds,
): Pick<NewEntry, 'person' | 'on'> {
  const [person] = userIds;
  if (topicIds.length === 0 && userIds.length === 1) return { person };
  const others = topicIds.length - 1 + (userIds.length > 0 ? 1 : 0);
  if (topicIds.length === 0) return { on: countedNoun(userIds.length, 'person', 'people') };
  return { on: others === 0 ? firstTopic : `${firstTopic} + ${others}` };
}

export const targetOfRow = (row: MessageRow): Pick<NewEntry, 'person' | 'on' | 'messageId'> => ({
  ...targetOf(row.topic_title, audienceOfRow(row)),
  messageId: row.id,
});

/** @param people undefined if only the sending will tell */
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
      ? `scheduled for ${toTime(sendAt)}`
      : countedNoun(people, 'person', 'people');
  return priority === 'normal' ? whom : `${whom}, ${priority}`;
}
