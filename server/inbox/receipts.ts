/** Writes the receipts of many requests at once. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Receipt } from '../../src/shared/contract';
import { recordCheckInAnswers } from '../check-ins/check-in-press';
import { findWithdrawnReminders } from '../check-ins/reminders';
import { isOnPostgres } from '../db/lock';
import { type HelpColumns, readHelpAnswers } from '../escalation/count-answered';
import { originalAnswer } from '../translation/message-translations';
import { jsonTableOfList } from '../db/json-table';
import { listensTo } from '../db/webhook-calls';
import { writeRecipientReceipts } from '../db/recipient-receipts';
import type { RecipientReceipts } from '../db/recipient-receipts';
import type { MessageRow, Tables } from '../db/schema';
import {
  lockEscalating,
  resumeEscalations,
  stopAnsweredEscalations,
} from '../escalation/stop-escalation';
import type { GivenAnswer } from '../escalation/stop-escalation';
import { markAllClearOfOtherAlarms } from '../messages/corrections/alarms-of-check-in';
import type { DisplayedAllClear } from '../messages/corrections/alarms-of-check-in';
import { receiptsOfRevision, revisionAt } from '../messages/corrections/answer-revisions';
import type { Services } from '../services';
import { addAnswerEvents } from './answer-events';
import type { NewAnswer } from './answer-events';
import { recordDeviceReceipts } from './device-receipts';
import type { DeviceReceipt } from './device-receipts';
import { receiptTime } from '../lib/receipt-time';
import { isPossibleMessageId } from '../messages/message-id';
import { keepEarlierAnswer, markLateCallForHelp, markRecipients } from './mark-recipients';
import type { MarkedMessage } from './mark-recipients';
import { DEVICE_RECEIPTS, findReceiptAuthors } from './receipt-authors';
import type { ReceiptReport, ReceiptAuthor } from './receipt-authors';

export interface RecordedReport {
  /** The number of new receipts. */
  recorded: number;
  /** Displayed reminders that the person had answered before. Only a device's key learns of them. */
  withdrawn: string[];
}

/** @returns undefined for reports whose session or key is no longer valid */
export async function recordReceiptReports(
  reports: readonly ReceiptReport[],
  transaction: Transaction<Tables>,
  services: Services,
): Promise<(RecordedReport | undefined)[]> {
  const authors = await findReceiptAuthors(reports, transaction, services);
  await recordCheckInAnswers(
    reports.flatMap(({ receipts, at }, index) => {
      const userId = authors[index]?.userId;
      return userId === undefined ? [] : receipts.map((receipt) => ({ userId, receipt, at }));
    }),
    transaction,
  );
  const escalating = await lockEscalating(findAnswered(reports), transaction, services.now());
  const entries = await lockEntries(reports, authors, transaction);
  const changedEntries = new Set<InboxEntry>();
  const awaitedAnswers: GivenAnswer[] = [];
  const called = new Set<InboxEntry>();
  const deviceReceipts: DeviceReceipt[] = [];
  const displayedReminders: { index: number; id: string }[] = [];
  const displayedAllClears: DisplayedAllClear[] = [];
  /** The last of each: a hundred changes in a call are one event. */
  const answers = new Map<InboxEntry, NewAnswer>();
  const newCounts = reports.map(({ claimed, receipts, at }, index) => {
    const author = authors[index];
    if (author === undefined) return undefined;
    const { userId, deviceIds } = author;
    let count = 0;
    for (const receipt of receipts) {
      const report = entries.get(entryKey(userId, receipt.messageId));
      // Any page can report a display; only the device's key proves something about the device.
      if (('key' in claimed || report === undefined) && isPossibleMessageId(receipt.messageId))
        deviceReceipts.push({ deviceIds, receipt, at, sentAt: report?.sentAt, index });
      // A person who presses a digest has not read the messages that the digest announces.
      if (report === undefined || (report.isDigest && receipt.kind !== 'displayed')) continue;
      if ('key' in claimed && receipt.kind === 'displayed' && report.isReminder)
        displayedReminders.push({ index, id: receipt.messageId });
      let isNew = false;
      for (const entry of report.entries) {
        const revision = findReceiptRevision(receipt, entry, at);
        const { answer } = receipt;
        const originalReceipt =
          answer === undefined ? receipt : { ...receipt, answer: originalAnswer(answer, entry) };
        // The round that brings a correction may not have reached this person yet.
        const formerReceipts = receiptsOfRevision(entry.receipts, entry.message);
        const isOld = isOutdated(receipt, entry, revision);
        const marked = { ...entry, revision };
        const lateCall = isOld
          ? markLateCallForHelp(formerReceipts, originalReceipt, marked, at)
          : undefined;
        if (isOld && lateCall === undefined) {
          const keptReceipts = keepEarlierAnswer(formerReceipts, originalReceipt, marked, at);
          if (keptReceipts === undefined) continue;
          entry.receipts = keptReceipts;
          changedEntries.add(entry);
          continue;
        }
        const newReceipts =
          lateCall ??
          (isOfAllClear(receipt, entry, at)
            ? undefined
            : markRecipients(formerReceipts, originalReceipt, marked, at));
        const isSeen = newReceipts !== undefined || ['displayed', 'read'].includes(receipt.kind);
        const after = isSeen
          ? markRevisions(
              newReceipts ?? formerReceipts,
              receipt,
              { ...marked, receipts: formerReceipts },
              at,
            )
          : formerReceipts;
        if (after === formerReceipts) continue;
        const newAnswer = entry.hasListeners && findNewAnswer(entry, formerReceipts, after);
        if (newAnswer) answers.set(entry, newAnswer);
        if (isNewCall(entry, formerReceipts, after)) called.add(entry);
        if (isAwaited(entry, formerReceipts, after))
          awaitedAnswers.push({ messageId: entry.messageId, userId, at });
        if (formerReceipts.all_clear_displayed_at === null && after.all_clear_displayed_at !== null)
          displayedAllClears.push({
            messageId: entry.messageId,
            userId,
            at: after.all_clear_displayed_at,
          });
        entry.receipts = after;
        changedEntries.add(entry);
        isNew = true;
      }
      if (isNew) count += 1;
    }
    return count;
  });
  await writeRecipientReceipts(
    [...changedEntries].map(({ userId, seq, receipts }) => ({ user_id: userId, seq, ...receipts })),
    transaction,
  );
  await markAllClearOfOtherAlarms(displayedAllClears, transaction);
  await stopAnsweredEscalations(awaitedAnswers, escalating, transaction);
  const calledIds = [...called].flatMap(({ messageId, helpAnswers, receipts }) =>
    helpAnswers.includes(receipts.answer ?? '') ? messageId : [],
  );
  await resumeEscalations(calledIds, escalating, transaction, services.now());
  if (answers.size > 0) await addAnswerEvents([...answers.values()], transaction, services.now());
  const counts = await recordDeviceReceipts(deviceReceipts, transaction);
  const withdrawn = await findWithdrawnReminders(
    displayedReminders.map(({ id }) => id),
    transaction,
  );
  return newCounts.map((count, index) => {
    if (count === undefined) return undefined;
    const ownWithdrawn = displayedReminders.flatMap((reminder) =>
      reminder.index === index && withdrawn.has(reminder.id) ? reminder.id : [],
    );
    return {
      recorded: count + (counts.get(index) ?? 0),
      withdrawn: [...new Set(ownWithdrawn)],
    };
  });
}

/** Finds messages that the reports may answer. Receipts of devices are no answers. */
const findAnswered = (reports: readonly ReceiptReport[]): string[] => [
  ...new Set(
    reports.flatMap(({ receipts }) =>
      receipts.flatMap(({ kind, messageId }) =>
        DEVICE_RECEIPTS.includes(kind) || !isPossibleMessageId(messageId) ? [] : messageId,
      ),
    ),
  ),
];

/** Whether the answer may stop an escalation. A call for help never does, until it is changed. */
function isAwaited(
  { answers, helpAnswers }: InboxEntry,
  formerReceipts: RecipientReceipts,
  after: RecipientReceipts,
): boolean {
  const kind = answers.length === 0 ? 'read_at' : 'acknowledged_at';
  const counts = (receipts: RecipientReceipts) =>
    receipts[kind] !== null && !helpAnswers.includes(receipts.answer ?? '');
  return !counts(formerReceipts) && counts(after);
}

const isNewCall = (
  { helpAnswers }: InboxEntry,
  formerReceipts: RecipientReceipts,
  after: RecipientReceipts,
): boolean => after.answer !== formerReceipts.answer && helpAnswers.includes(after.answer ?? '');

/** Finds the revision that a receipt belongs to, at most the newest revision. */
function findReceiptRevision(
  receipt: Receipt,
  { message, createdAt }: InboxEntry,
  now: number,
): number {
  const { revision } = message;
  if (revision === 1) return revision;
  const seenRevision =
    receipt.revision ?? revisionAt(receiptTime(receipt, createdAt, now), message);
  return Math.min(seenRevision, revision);
}

/** Answers count from the revision that last asked for them, other receipts only for the newest. */
const isOutdated = ({ kind }: Receipt, { message }: InboxEntry, revision: number): boolean =>
  revision < (kind === 'acknowledged' ? message.asked_revision : message.revision);

const isAfterAllClear = (
  receipt: Receipt,
  { message, createdAt }: InboxEntry,
  now: number,
): boolean =>
  message.all_clear_at !== null && receiptTime(receipt, createdAt, now) >= message.all_clear_at;

/** The all-clear's push has no revision of its own. What it displays is not the message. */
const isOfAllClear = (receipt: Receipt, entry: InboxEntry, now: number): boolean =>
  receipt.kind === 'displayed' && isAfterAllClear(receipt, entry, now);

/** Marks a correction or an all-clear as displayed. In the app both are beside the message. */
function markRevisions(
  receipts: RecipientReceipts,
  receipt: Receipt,
  entry: InboxEntry & { revision: number },
  now: number,
): RecipientReceipts {
  const { message, revision, createdAt } = entry;
  const time = receiptTime(receipt, createdAt, now);
  const isCorrection = revision > 1 && revision === message.revision;
  let newReceipts = receipts;
  if (
    isCorrection &&
    receipts.correction_displayed_at === null &&
    !isOfAllClear(receipt, entry, now)
  )
    newReceipts = { ...newReceipts, correction_displayed_at: time };
  if (
    receipt.kind !== 'acknowledged' &&
    receipts.all_clear_displayed_at === null &&
    isAfterAllClear(receipt, entry, now)
  )
    newReceipts = { ...newReceipts, all_clear_displayed_at: time };
  const unread_again = isUnreadAgain(newReceipts, receipt, entry, now);
  return unread_again === newReceipts.unread_again ? newReceipts : { ...newReceipts, unread_again };
}

/** Opening the message shows all of it; an answer pressed on a notification shows no all-clear. */
function isUnreadAgain(
  { read_at, unread_again }: RecipientReceipts,
  receipt: Receipt,
  entry: InboxEntry & { revision: number },
  now: number,
): 0 | 1 {
  if (receipt.kind === 'displayed' || read_at === null) return unread_again;
  const { message, receipts, revision } = entry;
  const isNewestText = revision >= message.revision;
  const isRead = receipt.kind === 'read' && isAfterAllClear(receipt, entry, now);
  if (isNewestText && (message.all_clear_at === null || isRead)) return 0;
  return receipts.read_at === null ? 1 : unread_again;
}

interface InboxEntry extends Omit<MarkedMessage, 'revision'> {
  message: Pick<
    MessageRow,
    'revision' | 'asked_revision' | 'revised_at' | 'former' | 'all_clear_at'
  > &
    HelpColumns;
  translations: string | null;
  messageId: string;
  userId: number;
  seq: number;
  receipts: RecipientReceipts;
  hasListeners: boolean;
}

function findNewAnswer(
  { messageId, userId }: InboxEntry,
  formerReceipts: RecipientReceipts,
  after: RecipientReceipts,
): NewAnswer | undefined {
  const { acknowledged_at: at, answer, comment, late, answer_revision: revision } = after;
  const isSameAnswer =
    formerReceipts.acknowledged_at !== null &&
    answer === formerReceipts.answer &&
    comment === formerReceipts.comment &&
    revision === formerReceipts.answer_revision;
  if (isSameAnswer || at === null || answer === null) return undefined;
  return { messageId, userId, answer, comment, at, late: late === 1, revision };
}

/** What a reported id stands for: a message, or a digest and its messages. */
interface ReportedMessage {
  isDigest: boolean;
  isReminder: boolean;
  sentAt: number;
  entries: InboxEntry[];
}

const entryKey = (userId: number, messageId: string): string => `${userId} ${messageId}`;

/** Locks the reported rows, in the ledger's order. Leaves out messages of other people. */
async function lockEntries(
  reports: readonly ReceiptReport[],
  authors: readonly (ReceiptAuthor | undefined)[],
  transaction: Transaction<Tables>,
): Promise<Map<string, ReportedMessage>> {
  const recipientPairs = new Map<string, [messageId: string, userId: number]>();
  for (const [index, { receipts }] of reports.entries()) {
    const userId = authors[index]?.userId;
    if (userId === undefined) continue;
    for (const { messageId } of receipts)
      if (isPossibleMessageId(messageId))
        recipientPairs.set(entryKey(userId, messageId), [messageId, userId]);
  }
  if (recipientPairs.size === 0) return new Map();
  const reportedPairs = sql`(select value->>0 as message_id, cast(value->>1 as bigint) as user_id
    from ${jsonTableOfList([...recipientPairs.values()])}) as given`;
  const lock = isOnPostgres(transaction) ? sql`for no key update of recipients` : sql``;
  // Apart: PostgreSQL rechecks a locked row's conditions, and with a union it finds nothing.
  const selectEntries = (by: 'message_id' | 'digest_id') =>
    sql`select given.message_id as asked, entry.user_id, entry.seq from ${reportedPairs} cross join recipients as entry
      where ${sql.ref(`entry.${by}`)} = given.message_id and entry.user_id = given.user_id`;
  const { rows } =
    await sql<InboxEntryRow>`with found as materialized (${selectEntries('message_id')} union all ${selectEntries('digest_id')})
      select found.asked, recipients.message_id, recipients.user_id, recipients.seq,
      recipients.displayed_at, recipients.read_at, recipients.acknowledged_at, recipients.answer, recipients.comment, recipients.late, recipients.revision, recipients.answer_revision, recipients.former, recipients.correction_displayed_at, recipients.all_clear_displayed_at, recipients.unread_again,
      messages.revision as message_revision, messages.asked_revision, messages.revised_at,
      messages.former as message_former,
      messages.kind, messages.answers, messages.translations, messages.help_answers, messages.expires_at, messages.state as message_state, messages.all_clear_at, messages.resolved_at, coalesce(messages.send_at, messages.created_at) as sent_at,
      case when found.asked <> recipients.message_id then
                (select digest.created_at from messages as digest where digest.id = found.asked) end as digest_sent_at,
      (select count(*) from webhooks where ${listensTo('message.acknowledged')}) as listeners
    from found cross join recipients cross join messages
    where recipients.user_id = found.user_id and recipients.seq = found.seq and messages.id = recipients.message_id
    order by recipients.user_id, recipients.seq ${lock}`.execute(transaction);
  const entries = new Map<string, InboxEntry>();
  const reportsByKey = new Map<string, ReportedMessage>();
  for (const row of rows) {
    // One entry may be reported by its message and by a digest.
    const entryPlace = entryKey(row.user_id, String(row.seq));
    const entry = entries.get(entryPlace) ?? toEntry(row);
    entries.set(entryPlace, entry);
    const key = entryKey(row.user_id, row.asked);
    const isDigest = row.asked !== row.message_id;
    const report = reportsByKey.get(key) ?? {
      isDigest,
      isReminder: row.kind === 'reminder',
      sentAt: row.digest_sent_at ?? row.sent_at,
      entries: [],
    };
    report.entries.push(entry);
    reportsByKey.set(key, report);
  }
  return reportsByKey;
}

const toEntry = (row: InboxEntryRow): InboxEntry => ({
  messageId: row.message_id,
  userId: row.user_id,
  seq: row.seq,
  createdAt: row.sent_at,
  expiresAt: row.expires_at,
  commentsUntil:
    row.message_state === 'cancelled'
      ? 0
      : Math.min(row.expires_at, row.all_clear_at ?? Infinity, row.resolved_at ?? Infinity),
  answers: JSON.parse(row.answers) as string[],
  helpAnswers: readHelpAnswers(row),
  askedRevision: row.asked_revision,
  translations: row.translations,
  receipts: row,
  message: {
    revision: row.message_revision,
    asked_revision: row.asked_revision,
    revised_at: row.revised_at,
    former: row.message_former,
    all_clear_at: row.all_clear_at,
    answers: row.answers,
    translations: row.translations,
    help_answers: row.help_answers,
  },
  hasListeners: row.listeners > 0,
});

interface InboxEntryRow extends RecipientReceipts {
  /** The reported id: a message's or a digest's. */
  asked: string;
  message_id: string;
  user_id: number;
  seq: number;
  message_revision: number;
  asked_revision: number;
  revised_at: number | null;
  message_former: string | null;
  kind: MessageRow['kind'];
  answers: string;
  translations: string | null;
  help_answers: string;
  expires_at: number;
  message_state: MessageRow['state'];
  all_clear_at: number | null;
  resolved_at: number | null;
  sent_at: number;
  /** When the reported digest was sent; null if the message itself was reported. */
  digest_sent_at: number | null;
  listeners: number;
}
