import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import type { Language } from '../../src/shared/languages';
import { roleNames } from '../accounts/users';
import type { OneTimeLink } from '../accounts/one-time-tokens';
import { recordAudit } from '../audit/record-audit';
import type { NewEntry } from '../audit/record-audit';
import { INVITATION_MAIL_JOB } from '../db/jobs/kinds';
import { jsonTableOfList } from '../db/json-table';
import type { Tables } from '../db/schema';
import type { ImportPlan } from './compare';
import type { ImportedPerson } from './people';
import { writeTeams } from './teams';

export interface AddedPerson extends ImportedPerson {
  id: number;
  link: OneTimeLink;
}

/** Others subscribed the same people, or added them to the same teams, meanwhile. */
export class StaleImportPlanError extends Error {}

export interface PreparedImport {
  plan: ImportPlan;
  people: readonly (ImportedPerson & { link: OneTimeLink })[];
  users: RowsExpression;
  names: RowsExpression;
  links: RowsExpression;
  /** New people are found by their names, existing ones by their ids. */
  subscriptions: { count: number; ofNew: RowsExpression; ofOld: RowsExpression };
}
type RowsExpression = RawBuilder<unknown>;

export function prepareImport(plan: ImportPlan, links: readonly OneTimeLink[]): PreparedImport {
  const people = plan.added.flatMap((person, index) => {
    const link = links[index];
    return link === undefined ? [] : [{ ...person, link }];
  });
  const newPersonRows = people.flatMap(({ usernameKey, topicIds }) =>
    topicIds.map((topicId) => [usernameKey, topicId]),
  );
  const existingPersonRows = plan.subscribed.flatMap(({ id, topicIds }) =>
    topicIds.map((topicId) => [id, topicId]),
  );
  return {
    plan,
    people,
    users: jsonTableOfList(
      people.map((person) => [
        person.username,
        person.usernameKey,
        person.email,
        person.emailKey,
        person.role ?? 'CUSTOMER',
      ]),
    ),
    names: jsonTableOfList(people.map(({ usernameKey }) => [usernameKey])),
    links: jsonTableOfList(
      people.map(({ usernameKey, link }) => [
        usernameKey,
        link.nonce,
        link.hash,
        link.createdAt,
        link.expiresAt,
      ]),
    ),
    subscriptions: {
      count: newPersonRows.length + existingPersonRows.length,
      ofNew: jsonTableOfList(newPersonRows),
      ofOld: jsonTableOfList(existingPersonRows),
    },
  };
}

/** Looks up names for the audit log. */
export interface ImportNames {
  titleOf(topicId: number): string;
  nameOf(teamKey: string): string;
}

/**
 * New people are found by their names, in few statements.
 * @throws StaleImportPlanError, database errors
 */
export async function writeImportPlan(
  preparedImport: PreparedImport,
  { titleOf, nameOf }: ImportNames,
  transaction: Transaction<Tables>,
  { now, language }: { now: number; language: Language | undefined },
): Promise<AddedPerson[]> {
  const { plan, people, names } = preparedImport;
  const ids =
    people.length > 0
      ? await insertUsers(preparedImport.users, language, transaction, now)
      : new Map();
  const addedPeople = people.flatMap((person): AddedPerson[] => {
    const id: number | undefined = ids.get(person.usernameKey);
    return id === undefined ? [] : [{ ...person, id }];
  });
  if (people.length > 0) {
    await insertLinks(preparedImport.links, transaction);
    await insertInvitations(names, transaction, now);
    await insertMails(names, transaction, now);
  }
  await insertSubscriptions(preparedImport.subscriptions, transaction, now);
  const members = [...addedPeople, ...plan.subscribed].flatMap(({ id, teamKeys }) =>
    teamKeys.map((key) => [id, key] as const),
  );
  const isCurrent = await writeTeams({ added: plan.newTeams, members }, transaction, now);
  if (!isCurrent) throw new StaleImportPlanError();
  await recordAudit(toAuditEntries(plan, addedPeople, titleOf, nameOf), transaction);
  return addedPeople;
}

function toAuditEntries(
  { subscribed, newTeams }: ImportPlan,
  people: readonly AddedPerson[],
  titleOf: (topicId: number) => string,
  nameOf: (teamKey: string) => string,
): NewEntry[] {
  const joinTitles = (ids: readonly number[]): string => ids.map(titleOf).join(', ');
  const joinEntries = (id: number, teamKeys: readonly string[]): NewEntry[] =>
    teamKeys.length === 0
      ? []
      : [{ action: 'team.join', person: id, detail: teamKeys.map(nameOf).join(', ') }];
  return [
    ...newTeams.map(({ name }): NewEntry => ({ action: 'team.add', on: name })),
    ...people.flatMap(({ id, role, topicIds, teamKeys }): NewEntry[] => {
      const topics = topicIds.length > 0 ? `, subscribed to ${joinTitles(topicIds)}` : '';
      const detail = `${roleNames[role ?? 'CUSTOMER']}${topics}`;
      return [{ action: 'user.add', person: id, detail }, ...joinEntries(id, teamKeys)];
    }),
    ...subscribed.flatMap(({ id, topicIds, teamKeys }): NewEntry[] => [
      ...(topicIds.length > 0
        ? [{ action: 'subscription.add', person: id, detail: joinTitles(topicIds) } as const]
        : []),
      ...joinEntries(id, teamKeys),
    ]),
    {
      action: 'user.import',
      detail: `Added ${people.length}, subscribed ${subscribed.length} who already existed`,
    },
  ];
}

async function insertUsers(
  rows: RowsExpression,
  language: Language | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Map<string, number>> {
  const insertedRows = await sql<{ id: number; username_key: string }>`insert into users
    (username, username_key, email, email_key, role, status, language, created_at)
    select value->>0, value->>1, value->>2, value->>3, value->>4, 'PENDING', cast(${language ?? null} as text), cast(${now} as bigint)
    from ${rows} where true order by cast(key as integer)
    returning id, username_key`.execute(transaction);
  return new Map(insertedRows.rows.map(({ id, username_key }) => [username_key, id]));
}

/** New people in `users`, by the folded name in the first column of `given`. */
const withNames = (rows: RowsExpression): RowsExpression =>
  sql`(select value, value->>0 as name from ${rows}) as given inner join users on users.username_key = given.name`;

async function insertLinks(rows: RowsExpression, transaction: Transaction<Tables>): Promise<void> {
  await sql`insert into one_time_tokens (user_id, purpose, nonce, token_hash, created_at, expires_at)
    select users.id, 'registration', value->>1, value->>2,
      cast(value->>3 as bigint), cast(value->>4 as bigint)
    from ${withNames(rows)}`.execute(transaction);
}

async function insertInvitations(
  names: RowsExpression,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  await sql`insert into invitations (user_id, mail, imported_at)
    select users.id, case when users.email is null then 'none' else 'waiting' end, cast(${now} as bigint)
    from ${withNames(names)}`.execute(transaction);
}

/** Inserts the mails in the file's order. The accounts are new, so none has a job yet. */
async function insertMails(
  names: RowsExpression,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  await sql`insert into jobs (kind, subject, created_at, due_at)
    select ${sql.lit(INVITATION_MAIL_JOB)}, cast(users.id as text), cast(${now} as bigint), cast(${now} as bigint)
    from ${withNames(names)} where users.email is not null order by users.id`.execute(transaction);
}

/**
 * Orders by topic and person, like other bulk writes, to avoid deadlocks.
 * @throws StaleImportPlanError
 */
async function insertSubscriptions(
  { count, ofNew: newPersonRows, ofOld: existingPersonRows }: PreparedImport['subscriptions'],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (count === 0) return;
  const { numAffectedRows } = await sql`insert into subscriptions (user_id, topic_id, created_at)
    select user_id, topic_id, cast(${now} as bigint) from (
      select users.id as user_id, cast(value->>1 as bigint) as topic_id from ${withNames(newPersonRows)}
      union all
      select cast(value->>0 as bigint), cast(value->>1 as bigint) from ${existingPersonRows} as known
    ) as pairs where true order by topic_id, user_id
    on conflict (user_id, topic_id) do update set by_name = 1 where subscriptions.by_name = 0`.execute(
    transaction,
  );
  if (Number(numAffectedRows) !== count) throw new StaleImportPlanError();
}
