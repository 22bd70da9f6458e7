/** Tells others that a person who works alone was suspended. */
import type { Transaction } from 'kysely';
import type { CheckInRow, Tables } from '../../db/schema';
import { sendInTransaction } from '../../messages/sending/send';
import { writeInAllLanguages } from '../../translation/message-translations';
import { isLastWordHelp } from '../check-in-rules';
import { readCheckInSettings } from '../settings';
import { findWatchers } from '../watchers';
import { createTimeFormatter, writeDetails, writeHelp, writeMissed } from './alarm-texts';
import { AUTOMATIC_SENDER, readUsername } from './automatic-sender';
import { ALL_MESSAGE_KINDS, closeMessages, readAlarmedUserIds } from './send-messages';

/**
 * Cancels the alarms of a suspended person, and tells everyone who got an alarm or would get one
 * that no one knows whether the person is OK. Urgent if the person needed help or did not answer.
 */
export async function sendSuspensionNotice(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const name = await readUsername(row, transaction);
  const { topic_id } = await readCheckInSettings(transaction);
  const watchers = await findWatchers(topic_id, row, transaction);
  const to =
    'topicId' in watchers
      ? { topicIds: [watchers.topicId], userIds: [], exceptUserId: watchers.exceptUserId }
      : watchers;
  const alarmedUserIds = await readAlarmedUserIds(row, transaction);
  await closeMessages(row, ALL_MESSAGE_KINDS, transaction, now);
  const endedAt = row.ended_at ?? now;
  const needsHelp = isLastWordHelp(row);
  const isMissed = row.alarm_at <= endedAt;
  const isUrgent = needsHelp || isMissed;
  const texts = writeInAllLanguages((translateText) => ({
    title: translateText('{0} was suspended during a check-in', name),
    message: [
      translateText(
        '{0} was suspended by an administrator at {1}. We don’t know whether they’re OK.',
        name,
        createTimeFormatter(row)(endedAt),
      ),
      ...(needsHelp
        ? [writeHelp(row, name, translateText)]
        : isMissed
          ? [writeMissed(row, name, translateText)]
          : []),
      ...writeDetails(row, translateText),
    ].join('\n'),
    ...(isUrgent && { answers: [translateText('On my way')] }),
  }));
  await sendInTransaction(
    {
      to: { ...to, userIds: [...new Set([...(to.userIds ?? []), ...alarmedUserIds])] },
      ...AUTOMATIC_SENDER,
      ...texts,
      priority: isUrgent ? 'urgent' : 'normal',
      policyId: null,
    },
    transaction,
    now,
  );
}
