/** Whether a push is still wanted, asked at its claim and again before it is sent. */
import { sql } from 'kysely';
import type { NewTranslations, Priority } from '../../../src/shared/contract';
import type { Language } from '../../../src/shared/languages';
import {
  accountPreference,
  effectiveEnabled,
  joinPreferences,
  ownPreference,
} from '../effective-preference';
import type { Database } from '../open';
import { idTable } from '../json-table';
import { selectUnread } from '../recipient-receipts';
import { readReplacedMessageIds } from './replaced-messages';
import type { ClaimedPush, ClaimedRecipient, SkipReason } from './claimed-push';

/** The app icon's badge goes no further. */
const MAX_COUNTED_UNREAD = 100;

/**
 * A notification's title.
 * @param topic the alias of the joined topic
 */
export const messageTitle = (topic: string) =>
  sql<string>`coalesce(messages.title, ${sql.ref(`${topic}.title`)}, nullif(messages.topic_title, ''), 'Fieldbell')`;

/** Reads claimed rows as they are now, after any unsubscription, deletion or cancellation. */
export async function readClaims(
  db: Database,
  ids: number[],
  claimedUntil: number,
): Promise<ClaimedPush[]> {
  const rows = await selectClaimed(db, ids)
    .leftJoin('topics as first_topics', 'first_topics.id', 'recipients.topic_id')
    .leftJoin('users', 'users.id', 'devices.user_id')
    .select([
      'deliveries.attempts',
      'deliveries.lost',
      'deliveries.service_id as service',
      'deliveries.sort_key as sortKey',
      'deliveries.message_id as messageId',
      messageTitle('first_topics').as('title'),
      'messages.text',
      'messages.link',
      'messages.priority',
      'messages.answers',
      'messages.translations',
      'messages.revision',
      'messages.sender_id as senderId',
      sql<
        string | null
      >`case when messages.all_clear_at is not null then coalesce(messages.all_clear, '') end`.as(
        'allClear',
      ),
      sql<Language | null>`coalesce(users.language, users.browser_language)`.as('language'),
      sql<number>`coalesce(messages.send_at, messages.created_at)`.as('sentAt'),
      'messages.expires_at as expiresAt',
      sql<number>`(select count(*) from (${selectUnread(sql.ref('devices.user_id'))} limit ${sql.lit(MAX_COUNTED_UNREAD)}) as unread)`.as(
        'unread',
      ),
    ])
    .orderBy('deliveries.id')
    .execute();
  const testIds = await readTestIds(
    rows.flatMap(({ id, kind }) => (kind === 'test' ? id : [])),
    db,
  );
  const withdrawn = await readReplacedMessageIds(
    // People's messages are not about earlier ones, and may have many recipients.
    rows.flatMap(({ id, kind, senderId }) =>
      kind === 'reminder' || (kind === 'message' && senderId === null) ? id : [],
    ),
    db,
  );
  const parse = createParser();
  return rows.map((row) => ({
    id: row.id,
    claimedUntil,
    attempts: row.attempts - 1,
    lostClaims: row.lost,
    service: row.service,
    sortKey: row.sortKey,
    message: {
      id: row.messageId,
      isDigest: row.kind === 'digest',
      isReminder: row.kind === 'reminder',
      testId: testIds.get(row.id) ?? null,
      title: row.title,
      text: row.text,
      link: row.link,
      priority: row.priority satisfies Priority,
      answers: parse(row.answers) as string[],
      translations: parse(row.translations ?? '{}') as NewTranslations,
      sentAt: row.sentAt,
      expiresAt: row.expiresAt,
      round: Math.max(0, row.round - row.revisionRound),
      revision: row.revision,
      allClear: row.allClear,
    },
    ...checkPush(row, row.unread, row.language, withdrawn.get(row.id)),
  }));
}

/** Parses equal JSON once, because most rows of a batch are of one message. */
function createParser() {
  const cache = new Map<string, unknown>();
  return (json: string): unknown => {
    if (!cache.has(json)) cache.set(json, JSON.parse(json));
    return cache.get(json);
  };
}

/** A separate query, because large messages have no tests. */
async function readTestIds(ids: number[], db: Database): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom(idTable(ids).as('requested'))
    .innerJoin('deliveries', 'deliveries.id', 'requested.id')
    .innerJoin('tests', (join) =>
      join
        .onRef('tests.message_id', '=', 'deliveries.message_id')
        .onRef('tests.device_id', '=', 'deliveries.device_id'),
    )
    .select(['deliveries.id', 'tests.id as testId'])
    .execute();
  return new Map(rows.map(({ id, testId }) => [id, testId]));
}

/** The claimed rows that are no longer wanted under their claimed token, and why. */
export async function findUnwanted(
  db: Database,
  claims: readonly ClaimedPush[],
): Promise<Map<ClaimedPush, SkipReason>> {
  const rows = await selectClaimed(
    db,
    claims.map(({ id }) => id),
  ).execute();
  const currentClaims = new Map(rows.map((row) => [row.id, checkPush(row, 0, null)]));
  const reasons = new Map<ClaimedPush, SkipReason>();
  for (const claim of claims) {
    const currentClaim = currentClaims.get(claim.id);
    if (currentClaim?.skipReason) reasons.set(claim, currentClaim.skipReason);
    else if (
      claim.recipient === undefined ||
      currentClaim?.recipient?.tokenHash !== claim.recipient.tokenHash
    )
      reasons.set(claim, 'unsubscribed');
  }
  return reasons;
}

/** Further topics are read only if the first, `messages.topic_id`, does not reach the device. */
const reachingTopic = sql<number | null>`coalesce(
  case when subscriptions.topic_id is not null and ${effectiveEnabled} = 1 then subscriptions.topic_id end,
  (select further.topic_id from message_topics as further
    inner join subscriptions as further_subscriptions on further_subscriptions.topic_id = further.topic_id and further_subscriptions.user_id = devices.user_id
    ${joinPreferences('devices.id', 'devices.user_id', 'further.topic_id')}
    where further.message_id = deliveries.message_id and ${effectiveEnabled} = 1
    order by further.position limit 1))`;

function selectClaimed(db: Database, ids: number[]) {
  // The requested rows first, because PostgreSQL keeps the written order of many joins.
  return db
    .selectFrom(idTable(ids).as('requested'))
    .innerJoin('deliveries', 'deliveries.id', 'requested.id')
    .innerJoin('messages', 'messages.id', 'deliveries.message_id')
    .leftJoin('devices', 'devices.id', 'deliveries.device_id')
    .leftJoin('recipients', (join) =>
      join
        .onRef('recipients.message_id', '=', 'deliveries.message_id')
        .onRef('recipients.user_id', '=', 'deliveries.user_id'),
    )
    .leftJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.user_id', '=', 'devices.user_id')
        .onRef('subscriptions.topic_id', '=', 'messages.topic_id'),
    )
    .leftJoin(
      'device_preferences as own',
      ownPreference({ device: 'devices.id', topic: 'messages.topic_id' }),
    )
    .leftJoin(
      'account_preferences as account',
      accountPreference({ user: 'devices.user_id', topic: 'messages.topic_id' }),
    )
    .select([
      'deliveries.id',
      'deliveries.user_id as forUser',
      'deliveries.round',
      'messages.revision_round as revisionRound',
      'messages.kind',
      'messages.state',
      // If there are no answers to choose from, reading counts as answering. People who
      // answered an earlier text still get the push of the correction. After the all-clear, only
      // its own display counts.
      sql<
        number | null
      >`case when messages.all_clear_at is not null then recipients.all_clear_displayed_at
        when messages.answers = '[]' then recipients.read_at
        when messages.revision > 1 and recipients.correction_displayed_at is null
          and recipients.acknowledged_at < deliveries.created_at then null
        else recipients.acknowledged_at end`.as('answeredAt'),
      'devices.id as deviceId',
      'devices.user_id as userId',
      'devices.token',
      'devices.token_hash as tokenHash',
      'recipients.named',
      'recipients.seq',
      'recipients.topic_id as firstTopic',
      reachingTopic.as('reachingTopic'),
    ]);
}

/** The result of the left joins. */
interface JoinedClaim {
  forUser: number;
  round: number;
  revisionRound: number;
  kind: 'message' | 'test' | 'digest' | 'reminder';
  state: string;
  answeredAt: number | null;
  deviceId: number | null;
  userId: number | null;
  token: string | null;
  tokenHash: string | null;
  named: 0 | 1 | null;
  seq: number | null;
  firstTopic: number | null;
  reachingTopic: number | null;
}

function checkPush(
  row: JoinedClaim,
  unread: number,
  language: Language | null,
  withdrawnIds: string[] = [],
): Pick<ClaimedPush, 'recipient' | 'skipReason'> {
  const { deviceId, userId, token, tokenHash } = row;
  const skipGone = (skipReason: SkipReason) => ({ recipient: undefined, skipReason });
  if (row.state === 'cancelled') return skipGone('cancelled');
  // A correction goes to everyone, a repeat to the people who have not answered.
  if (row.round > row.revisionRound && row.answeredAt !== null) return skipGone('answered');
  if (deviceId === null || userId === null || token === null || tokenHash === null)
    return skipGone('unsubscribed');
  const isWanted =
    row.kind !== 'message' ? userId === row.forUser : row.named === 1 || row.reachingTopic !== null;
  if (!isWanted) return skipGone('unsubscribed');
  const recipient: ClaimedRecipient = {
    deviceId,
    userId,
    topicId: row.firstTopic ?? row.reachingTopic,
    token,
    tokenHash,
    seq: row.seq ?? 0,
    unread,
    withdrawnIds,
    language,
  };
  return { recipient, skipReason: undefined };
}
