/** Tells others that a person who works alone was suspended. */
import type { Transaction } from 'kysely';
import type { CheckInRow, Tables } from '../../db/schema';
import type { MessageAudience } from '../../messages/sending/send-request';
import { sendInTransaction } from '../../messages/sending/send';
import type { TranslateText } from '../../translation/message-translations';
import { writeInAllLanguages } from '../../translation/message-translations';
import { readCheckInSettings } from '../settings';
import { findWatchers } from '../watchers';
import { createTimeFormatter, writeDetails, writeHelp, writeMissed } from './alarm-texts';
import { AUTOMATIC_SENDER, readUsername } from './automatic-sender';
import { ALL_MESSAGE_KINDS, closeMessages, readAlarmedUserIds } from './send-messages';

/**
 * Tells those who watch that the check-in ended, and that no one knows whether the person is OK.
 * Cancels alarms that an “I’m OK” was about to end.
 */
export async function sendSuspensionNotice(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const to = await findPeople(row, transaction);
  await closeMessages(row, ALL_MESSAGE_KINDS, transaction, now);
  await sendNotice(
    row,
    { to, at: row.ended_at ?? now, priority: 'normal', writeStatus: () => [] },
    transaction,
    now,
  );
}

/** Tells those who watch that the person can no longer answer, and that the alarm stays open. */
export async function sendNoticeOfOpenAlarm(
  row: CheckInRow,
  suspendedAt: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const to = await findPeople(row, transaction);
  const name = await readUsername(row, transaction);
  const writeStatus = (translateText: TranslateText) => [
    translateText(
      'They can no longer answer, so the alarm stays open until someone gives the all-clear.',
    ),
    row.state === 'help'
      ? writeHelp(row, name, translateText)
      : writeMissed(row, name, translateText),
  ];
  const notice = { to, at: suspendedAt, priority: 'urgent', writeStatus } as const;
  await sendNotice(row, notice, transaction, now);
}

/** Finds everyone who got an alarm of the check-in, or would get one. */
async function findPeople(
  row: CheckInRow,
  transaction: Transaction<Tables>,
): Promise<MessageAudience> {
  const { topic_id } = await readCheckInSettings(transaction);
  const watchers = await findWatchers(topic_id, row, transaction);
  const to =
    'topicId' in watchers
      ? { topicIds: [watchers.topicId], userIds: [], exceptUserId: watchers.exceptUserId }
      : watchers;
  const alarmedUserIds = await readAlarmedUserIds(row, transaction);
  return { ...to, userIds: [...new Set([...(to.userIds ?? []), ...alarmedUserIds])] };
}

interface Notice {
  to: MessageAudience;
  /** When the person was suspended, in milliseconds since 1970. */
  at: number;
  priority: 'urgent' | 'normal';
  writeStatus: (translateText: TranslateText) => string[];
}

async function sendNotice(
  row: CheckInRow,
  { to, at, priority, writeStatus }: Notice,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const name = await readUsername(row, transaction);
  const texts = writeInAllLanguages((translateText) => ({
    title: translateText('{0} was suspended during a check-in', name),
    message: [
      translateText(
        '{0} was suspended by an administrator at {1}. We don’t know whether they’re OK.',
        name,
        createTimeFormatter(row)(at),
      ),
      ...writeStatus(translateText),
      ...writeDetails(row, translateText),
    ].join('\n'),
  }));
  await sendInTransaction(
    { to, ...AUTOMATIC_SENDER, ...texts, priority, policyId: null },
    transaction,
    now,
  );
}
