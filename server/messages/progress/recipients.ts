import { sql } from 'kysely';
import type {
  ResponseOf,
  Recipient,
  RecipientFailure,
  RecipientState,
} from '../../../src/shared/contract';
import {
  ALL_CLEAR_FILTER,
  CORRECTION_FILTER,
  isUnseenFilter,
  NOT_ANSWERED,
  NOT_ANSWERED_FILTER,
} from '../../../src/shared/recipient-states';
import type { UnseenFilter } from '../../../src/shared/recipient-states';
import type { Language } from '../../../src/shared/languages';
import { readOrRenewRegistrationTokens } from '../../accounts/one-time-tokens';
import { QUIET_JOB } from '../../db/jobs/kinds';
import { queryInReadThread } from '../../db/open';
import type { Database } from '../../db/open';
import type { DeliveryRow, MessageRow, RecipientRow, UserRow } from '../../db/schema';
import { HttpError } from '../../http/errors';
import type { Config } from '../../config/config';
import { containsWords, readPageFields, readQueryText } from '../../http/paging';
import type { Paging } from '../../http/paging';
import type { Services } from '../../services';
import { describeFormerAnswers, revisionOfAnswer } from '../corrections/answer-revisions';
import { RANGE_SIZE } from '../recipient-ranges';
import { lacksAllClear, lacksCorrection, wasReachedThrough } from './counts';
import { languageReadBy, readMessageLanguages } from './languages';
import { sanitizeIdFromUrl } from '../../lib/url-id';
import { toTimeOrNull } from '../../lib/clock';

/** States that need attention come first. */
const RECIPIENT_STATE_ORDER: readonly RecipientState[] = [
  'unreachable',
  'muted',
  'held',
  'failed',
  'pending',
  'accepted',
  'displayed',
  'read',
  'acknowledged',
];

/** Each receipt also sets the times that it implies, so the latest decides. */
export const furthestState = sql<RecipientState>`case when recipients.acknowledged_at is not null then 'acknowledged'
  when recipients.read_at is not null then 'read'
  when recipients.displayed_at is not null then 'displayed' else recipients.state end`;
const rank = sql`case ${furthestState} ${sql.raw(RECIPIENT_STATE_ORDER.map((state, index) => `when '${state}' then ${index}`).join(' '))} end`;

const UNSEEN_CONDITIONS = {
  [CORRECTION_FILTER]: lacksCorrection,
  [ALL_CLEAR_FILTER]: lacksAllClear,
} satisfies Record<UnseenFilter, unknown>;

/** A state, or everyone who was not shown the newest correction or the all-clear. */
export type RecipientStateFilter = RecipientState | UnseenFilter;
const STATE_FILTERS: readonly RecipientStateFilter[] = [
  ...RECIPIENT_STATE_ORDER,
  CORRECTION_FILTER,
  ALL_CLEAR_FILTER,
];

/**
 * @returns undefined for all.
 * @throws HttpError 400 for an unknown state
 */
export function readRecipientStates(
  stateQuery: string | null | undefined,
): readonly RecipientStateFilter[] | undefined {
  if (!stateQuery) return undefined;
  const requestedFilters = new Set(stateQuery.split(','));
  if (requestedFilters.delete(NOT_ANSWERED_FILTER))
    for (const state of NOT_ANSWERED) requestedFilters.add(state);
  const states = STATE_FILTERS.filter((filter) => requestedFilters.delete(filter));
  if (requestedFilters.size === 0) return states;
  const filterNames = [...STATE_FILTERS, NOT_ANSWERED_FILTER].join(', ');
  throw new HttpError(400, [
    { message: `Each state must be one of ${filterNames}.`, path: 'state' },
  ]);
}

/** Whether a row of `recipients` is in one of the states. */
export function isInStates(filters: readonly RecipientStateFilter[]) {
  const states = filters.filter((filter) => !isUnseenFilter(filter));
  const conditions = [
    ...(states.length > 0 ? [sql`${furthestState} in (${sql.join(states)})`] : []),
    ...filters.filter(isUnseenFilter).map((filter) => UNSEEN_CONDITIONS[filter]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

export interface RecipientFilter {
  states: readonly RecipientStateFilter[] | undefined;
  /** Lists only people who answered an earlier text whose question was asked again. */
  formerAnswers?: boolean;
  /** Lists only people who gave this answer; empty for all. */
  answer?: string;
  /** Lists only people reached through these topics. */
  topicIds?: readonly number[];
}

/** @throws HttpError 400 for an unknown state */
export const readRecipientFilter = (query: URLSearchParams): Omit<RecipientFilter, 'topicIds'> => ({
  states: readRecipientStates(query.get('state')),
  formerAnswers: query.get('formerAnswers') === 'true',
  answer: readQueryText(query, 'answer'),
});

/**
 * Searches by username, so it finds no deleted people.
 * @param withLinks with registration links, which only administrators may see
 * @throws HttpError 404
 */
export async function listRecipientPage(
  messageId: string,
  { states, formerAnswers, answer, topicIds }: RecipientFilter,
  paging: Paging,
  withLinks: boolean,
  services: Services,
): Promise<ResponseOf<'GET /api/admin/messages/:id/recipients'>> {
  const { db } = services;
  const { limit, offset, words } = paging;
  const translatedLanguages = await readMessageLanguages(messageId, db);
  let recipientsQuery = selectRecipients(messageId, db);
  if (states !== undefined) recipientsQuery = recipientsQuery.where(isInStates(states));
  if (formerAnswers) recipientsQuery = recipientsQuery.where('former', 'is not', null);
  if (answer) recipientsQuery = recipientsQuery.where('answer', '=', answer);
  if (topicIds !== undefined) recipientsQuery = recipientsQuery.where(wasReachedThrough(topicIds));
  if (words.length > 0)
    recipientsQuery = recipientsQuery.where(({ ref }) =>
      containsWords(words, ref('users.username_key')),
    );
  const page = recipientsQuery
    .select(COLUMNS)
    .select(['users.status', 'users.language', 'users.browser_language'])
    .select(['recipients.user_id', 'digest_id', furthestState.as('furthest')])
    .orderBy(rank)
    // Deleted people come last: the engines order null differently.
    .orderBy(sql`case when users.id is null then 1 else 0 end`)
    .orderBy('users.username_key')
    .orderBy('recipients.user_id')
    .limit(limit)
    .offset(offset);
  const rows = await queryInReadThread(page.compile(), db);
  const pendingIds = rows.flatMap(({ id, status }) =>
    withLinks && status === 'PENDING' && id !== null ? id : [],
  );
  const tokens = await readOrRenewRegistrationTokens(pendingIds, services);
  const heldIds = rows.flatMap(({ id, furthest: state }) =>
    state === 'held' && id !== null ? id : [],
  );
  const quietEndByUser = await readQuietEnds(heldIds, db);
  const failedRows = rows.filter((row) => row.furthest === 'failed');
  const failures = await readFailures(messageId, failedRows, db);
  const texts = await readCurrentRevision(messageId, rows, db);
  const recipients = rows.map((row) => {
    const recipient = {
      ...toRecipient(row, texts),
      ...languageIn(translatedLanguages, row, services.config),
    };
    const failure = failures.get(row.user_id);
    if (failure !== undefined) return { ...recipient, failure };
    if (row.furthest === 'held')
      return { ...recipient, heldUntil: toTimeOrNull(quietEndByUser.get(row.id ?? 0) ?? null) };
    const token = tokens.get(row.id ?? 0);
    if (recipient.user === null || row.status !== 'PENDING') return recipient;
    const link = token === undefined ? {} : { registrationToken: token };
    return { ...recipient, user: { ...recipient.user, status: row.status, ...link } };
  });
  return { recipients, ...(await readPageFields(rows, paging, recipientsQuery, db)) };
}

/** When held messages of these people are sent, in milliseconds since 1970. */
async function readQuietEnds(
  userIds: readonly number[],
  db: Database,
): Promise<ReadonlyMap<number, number>> {
  if (userIds.length === 0) return new Map();
  const jobs = await db
    .selectFrom('jobs')
    .where('kind', '=', QUIET_JOB)
    .where('subject', 'in', userIds.map(String))
    .select(['subject', 'due_at'])
    .execute();
  return new Map(jobs.map(({ subject, due_at }) => [Number(subject), due_at]));
}

/** True for pushes of the message, false for pushes of its all-clear. */
const isOfMessage = sql<boolean>`not exists (select 1 from messages where messages.id = deliveries.message_id
  and messages.all_clear_at is not null and deliveries.round >= messages.revision_round)`;

/** If there are more than `RANGE_SIZE` failures, only some are read. */
async function readFailures(
  messageId: string,
  people: readonly { user_id: number; digest_id: string | null }[],
  db: Database,
): Promise<ReadonlyMap<number, RecipientFailure>> {
  if (people.length === 0) return new Map();
  const messageIds = new Set([messageId, ...people.flatMap(({ digest_id }) => digest_id ?? [])]);
  const rows = await db
    .selectFrom((build) =>
      build
        .selectFrom('deliveries')
        .where('message_id', 'in', [...messageIds])
        .where('state', 'in', ['failed', 'gone', 'skipped'])
        .where(isOfMessage)
        .select(['user_id', 'state', 'reason', 'updated_at'])
        .limit(RANGE_SIZE)
        .as('ended'),
    )
    .where(
      'user_id',
      'in',
      people.map(({ user_id }) => user_id),
    )
    .selectAll()
    .orderBy('updated_at')
    .execute();
  return new Map(rows.map((row) => [row.user_id, toRecipientFailure(row)]));
}

function toRecipientFailure({
  state,
  reason,
}: Pick<DeliveryRow, 'state' | 'reason'>): RecipientFailure {
  if (state === 'gone') return 'gone';
  if (state === 'skipped')
    return reason === 'cancelled' || reason === 'cleared' ? reason : 'unwanted';
  return reason === 'expired' ? 'expired' : 'refused';
}

/** @returns the place of the next piece; undefined after the last */
export async function readRecipientsAfter(
  messageId: string,
  {
    after,
    limit,
    states,
    topicIds,
  }: { after: number; limit: number } & Pick<RecipientFilter, 'states' | 'topicIds'>,
  db: Database,
): Promise<{ recipients: Recipient[]; next: number | undefined }> {
  const reachedThroughTopics =
    topicIds === undefined ? sql<boolean>`true` : wasReachedThrough(topicIds);
  // States are filtered later: a query for a thousand of one state might read the whole message.
  const matchesStates = states === undefined ? sql<boolean>`true` : isInStates(states);
  const rows = await db
    // The limit comes before the join: PostgreSQL would otherwise read all people of earlier pages.
    .selectFrom((build) =>
      build
        .selectFrom('recipients')
        .selectAll()
        .select([
          furthestState.as('furthest'),
          reachedThroughTopics.as('through'),
          matchesStates.as('wanted'),
        ])
        .where('message_id', '=', messageId)
        .where('user_id', '>', after)
        .orderBy('user_id')
        .limit(limit)
        .as('piece'),
    )
    .leftJoin('users', 'users.id', 'piece.user_id')
    .select([...COLUMNS, 'piece.user_id', 'piece.through', 'piece.wanted', 'piece.furthest'])
    .orderBy('piece.user_id')
    .execute();
  const shownRows = rows.filter((row) => row.through && row.wanted);
  const texts = await readCurrentRevision(messageId, shownRows, db);
  return {
    recipients: shownRows.map((row) => toRecipient(row, texts)),
    next: rows.length < limit ? undefined : rows.at(-1)?.user_id,
  };
}

/** The language is absent for messages without translations, and for deleted people. */
function languageIn(
  translatedLanguages: ReadonlySet<Language>,
  {
    id,
    language,
    browser_language,
  }: Pick<UserRow, 'browser_language'> & { id: number | null; language: Language | null },
  config: Pick<Config, 'defaultLanguage'>,
): Pick<Recipient, 'language'> {
  if (translatedLanguages.size === 0 || id === null) return {};
  return { language: languageReadBy({ language, browser_language }, translatedLanguages, config) };
}

const selectRecipients = (messageId: string, db: Database) =>
  db
    .selectFrom('recipients')
    .leftJoin('users', 'users.id', 'recipients.user_id')
    .where('recipients.message_id', '=', messageId);

const COLUMNS = [
  'users.id',
  'users.username',
  'users.role',
  'answer',
  'comment',
  'late',
  'displayed_at',
  'read_at',
  'acknowledged_at',
  'answer_revision',
  'former',
  'devices',
] as const;

type ListedRecipientRow = { [Column in 'id' | 'username' | 'role']: UserRow[Column] | null } & Pick<
  RecipientRow,
  | 'answer'
  | 'comment'
  | 'late'
  | 'displayed_at'
  | 'read_at'
  | 'acknowledged_at'
  | 'answer_revision'
  | 'former'
  | 'devices'
> & { furthest: RecipientState };

type MessageRevision = Pick<MessageRow, 'revision' | 'revised_at' | 'former'>;

/** Returns undefined if each answer has its own revision, so that none needs the message's. */
async function readCurrentRevision(
  messageId: string,
  rows: readonly Pick<ListedRecipientRow, 'acknowledged_at' | 'answer_revision'>[],
  db: Database,
): Promise<MessageRevision | undefined> {
  if (!rows.some((row) => row.acknowledged_at !== null && row.answer_revision === null))
    return undefined;
  return db
    .selectFrom('messages')
    .select(['revision', 'revised_at', 'former'])
    .where('id', '=', sanitizeIdFromUrl(messageId))
    .executeTakeFirst();
}

const FIRST_REVISION: MessageRevision = { revision: 1, revised_at: null, former: null };

function toRecipient(
  { id, username, role, ...row }: ListedRecipientRow,
  texts: MessageRevision = FIRST_REVISION,
): Recipient {
  const answerRevision = revisionOfAnswer(row, texts);
  return {
    user: id === null || username === null || role === null ? null : { id, username, role },
    state: row.furthest,
    answer: row.answer,
    ...(row.comment !== null && { comment: row.comment }),
    ...(answerRevision !== undefined && { answerRevision }),
    ...describeFormerAnswers(row),
    late: row.late === 1,
    displayedAt: toTimeOrNull(row.displayed_at),
    readAt: toTimeOrNull(row.read_at),
    acknowledgedAt: toTimeOrNull(row.acknowledged_at),
    devices: row.devices,
  };
}
