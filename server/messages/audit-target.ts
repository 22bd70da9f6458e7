/** Describes a message in the audit log: by its audience, never by its text. */
import type { NewEntry } from '../audit/record-audit';
import type { MessageRow } from '../db/schema';
import { countedNoun } from '../lib/counted-noun';
import type { AudienceIds } from '../subscriptions/audience';
import { readStoredAudience } from './lock-message';
import { toTime } from '../lib/clock';

/** @param names of topics and teams; the first is shown */
export function toAuditTarget(
  [first = '']: readonly string[],
  { topicIds, userIds, teamIds = [] }: AudienceIds,
): Pick<NewEntry, 'person' | 'on'> {
  const [person] = userIds;
  const groups = topicIds.length + teamIds.length;
  if (groups === 0 && userIds.length === 1) return { person };
  if (groups === 0) return { on: countedNoun(userIds.length, 'person', 'people') };
  const otherGroups = groups - 1 + (userIds.length > 0 ? 1 : 0);
  return { on: otherGroups === 0 ? first : `${first} + ${otherGroups}` };
}

export const auditTargetOfRow = (
  row: MessageRow,
): Pick<NewEntry, 'person' | 'on' | 'messageId'> => {
  const audience = readStoredAudience(row);
  const { topicIds, teamIds = [] } = audience;
  const firstName = topicIds.length > 0 ? row.topic_title : teamIds.length > 1 ? 'Teams' : 'Team';
  return { ...toAuditTarget([firstName], audience), messageId: row.id };
};

/** @param people undefined if the audience is counted only when the message is sent */
export function describeAuditedSending({
  people,
  sendAt,
  priority,
}: {
  people: number | undefined;
  sendAt: number;
  priority: string;
}): string {
  const recipients =
    people === undefined
      ? `scheduled for ${toTime(sendAt)}`
      : countedNoun(people, 'person', 'people');
  return priority === 'normal' ? recipients : `${recipients}, ${priority}`;
}
