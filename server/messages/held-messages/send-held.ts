/** Sends held messages: one by itself, several as a digest. */
import { type Transaction, sql } from 'kysely';
import { effectiveEnabled, joinPreferences } from '../../db/effective-preference';
import type { Language } from '../../../src/shared/languages';
import type { Config } from '../../config/config';
import { isOnPostgres } from '../../db/lock';
import type { Database } from '../../db/open';
import { messageTitle } from '../../db/outbox/unwanted-pushes';
import { idList, jsonTableOfList } from '../../db/json-table';
import type { PushState, Tables } from '../../db/schema';
import type { AudienceMember } from '../../subscriptions/audience';
import { type NewPush, insertDeliveries } from '../sending/ledger';
import { type Digest, insertDigests, createDigest } from './digest';
import { readTranslations } from '../../translation/message-translations';
import { languageOfPerson } from '../../translation/language-of-person';

type AudienceDevice = AudienceMember['devices'][number];

interface HeldMessage {
  userId: number;
  messageId: string;
  seq: number;
  title: string;
  language: Language;
  expiresAt: number;
  /** False if the message was canceled, expired or read meanwhile. */
  isWanted: boolean;
}

type RecipientUpdate = [
  userId: number,
  seq: number,
  state: PushState,
  devices: number,
  digest: string | null,
];

export async function sendHeld(
  userIds: readonly number[],
  config: Pick<Config, 'defaultLanguage'>,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const heldByUser = await claimHeld(userIds, config, transaction, now);
  if (heldByUser.size === 0) return;
  const targets = await readTargets([...heldByUser.keys()], transaction);
  const digests: Digest[] = [];
  const pushes: NewPush[] = [];
  const recipientUpdates: RecipientUpdate[] = [];
  for (const [userId, messages] of heldByUser) {
    const { devices, reached } = targets.get(userId) ?? NO_TARGETS;
    const sentMessages = messages.filter(({ seq, isWanted }) => isWanted && reached.has(seq));
    const pushedDevices = devices.filter(({ id }) =>
      sentMessages.some(({ seq }) => reached.get(seq)?.has(id)),
    );
    const digest =
      sentMessages[0] && sentMessages.length > 1
        ? createDigest(sentMessages, userId, sentMessages[0].language)
        : undefined;
    if (digest) digests.push(digest);
    const messageId = digest?.id ?? sentMessages[0]?.messageId ?? '';
    for (const device of pushedDevices) pushes.push({ messageId, userId, device });
    for (const message of messages)
      recipientUpdates.push(
        sentMessages.includes(message)
          ? [userId, message.seq, 'pending', pushedDevices.length, digest?.id ?? null]
          : [userId, message.seq, silentState(message, devices), 0, null],
      );
  }
  await insertDigests(digests, transaction, now);
  await insertDeliveries(pushes, { round: 0, firstKey: now }, transaction, now);
  await writeChanges(recipientUpdates, transaction);
}

export async function countHeld(
  userIds: readonly number[],
  db: Database,
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('recipients')
    .where('user_id', 'in', idList(userIds))
    .where('state', '=', sql.lit('held'))
    .groupBy('user_id')
    .select(({ fn }) => ['user_id', fn.countAll<number>().as('held')])
    .execute();
  return new Map(rows.map(({ user_id, held }) => [user_id, held]));
}

function silentState({ isWanted }: HeldMessage, devices: readonly AudienceDevice[]): PushState {
  if (!isWanted) return 'failed';
  return devices.length === 0 ? 'unreachable' : 'muted';
}

/** Returns the rows by person, in the ledger's order. */
async function claimHeld(
  userIds: readonly number[],
  config: Pick<Config, 'defaultLanguage'>,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Map<number, HeldMessage[]>> {
  const rows = await transaction
    .selectFrom('recipients')
    .innerJoin('messages', 'messages.id', 'recipients.message_id')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .leftJoin('topics', 'topics.id', 'recipients.topic_id')
    .where('recipients.user_id', 'in', idList(userIds))
    .where('recipients.state', '=', sql.lit('held'))
    .orderBy('recipients.user_id')
    .orderBy('recipients.seq')
    .select([
      'recipients.user_id as userId',
      'recipients.message_id as messageId',
      'recipients.seq',
      'recipients.read_at',
      'messages.state',
      'messages.expires_at as expiresAt',
      'messages.translations',
      'users.language',
      'users.browser_language',
      messageTitle('topics').as('title'),
    ])
    .$if(isOnPostgres(transaction), (query) => query.forNoKeyUpdate('recipients'))
    .execute();
  const heldByUser = new Map<number, HeldMessage[]>();
  for (const { state, read_at, translations, browser_language, ...row } of rows) {
    const language = languageOfPerson({ ...row, browser_language }, config);
    const title = readTranslations(translations)[language]?.title || row.title;
    const isWanted = state !== 'cancelled' && row.expiresAt > now && read_at === null;
    const messages = heldByUser.get(row.userId) ?? [];
    messages.push({ ...row, title, language, isWanted });
    heldByUser.set(row.userId, messages);
  }
  return heldByUser;
}

/** A person's devices, and which of them each held message goes to. */
interface HeldTargets {
  devices: AudienceDevice[];
  reached: Map<number, Set<number>>;
}
const NO_TARGETS: HeldTargets = { devices: [], reached: new Map() };

async function readTargets(
  userIds: readonly number[],
  transaction: Transaction<Tables>,
): Promise<Map<number, HeldTargets>> {
  const { rows } = await sql<AudienceDevice & { userId: number; seq: number; enabled: 0 | 1 }>`
    select recipients.user_id as "userId", recipients.seq, devices.id, devices.type, devices.service_id as "serviceId",
      case when recipients.named = 1 or exists (
        select 1 from message_topics
          inner join subscriptions on subscriptions.topic_id = message_topics.topic_id and subscriptions.user_id = recipients.user_id
          ${joinPreferences('devices.id', 'recipients.user_id', 'message_topics.topic_id')}
        where message_topics.message_id = recipients.message_id and ${effectiveEnabled} = 1) then 1 else 0 end as enabled
    from recipients inner join devices on devices.user_id = recipients.user_id
    where recipients.user_id in ${idList(userIds)} and recipients.state = 'held'
    order by recipients.user_id, devices.id`.execute(transaction);
  const people = new Map<number, HeldTargets>();
  for (const { userId, seq, enabled, ...device } of rows) {
    const targets = people.get(userId) ?? { devices: [], reached: new Map<number, Set<number>>() };
    people.set(userId, targets);
    if (targets.devices.at(-1)?.id !== device.id) targets.devices.push(device);
    if (enabled === 1)
      targets.reached.set(seq, (targets.reached.get(seq) ?? new Set()).add(device.id));
  }
  return people;
}

async function writeChanges(
  recipientUpdates: readonly RecipientUpdate[],
  transaction: Transaction<Tables>,
): Promise<void> {
  await sql`update recipients set state = given.state, devices = given.devices, waiting = given.devices, digest_id = given.digest_id
    from (select cast(value->>0 as bigint) as user_id, cast(value->>1 as bigint) as seq, value->>2 as state,
      cast(value->>3 as integer) as devices, value->>4 as digest_id
      from ${jsonTableOfList(recipientUpdates)}) as given
    where recipients.user_id = given.user_id and recipients.seq = given.seq`.execute(transaction);
}
