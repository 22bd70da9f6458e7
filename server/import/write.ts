/** Writes what a file asks for, in few statements. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { roleNames } from '../accounts/users';
import type { Link } from '../accounts/one-time-tokens';
import { storeRegistrationLinks } from '../accounts/one-time-tokens';
import { record } from '../audit/record';
import type { Entry } from '../audit/record';
import { INVITATION_MAIL_JOB, addJobs } from '../db/jobs';
import { tableOfList } from '../db/rows';
import type { Tables } from '../db/schema';
import type { Plan } from './compare';
import type { Wanted } from './people';

/** Somebody who was just added. */
export interface Added extends Wanted {
  id: number;
  link: Link;
}

/**
 * @param links at least as many as there are people to be added; in their order
 * @param titleOf for the audit log
 */
export async function writePlan(
  plan: Plan,
  links: readonly Link[],
  titleOf: (topicId: number) => string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Added[]> {
  const { added, subscribed } = plan;
  const ids = await insertUsers(added, transaction, now);
  const people = added.flatMap((wanted, index) => {
    const [id, link] = [ids.get(wanted.usernameKey), links[index]];
    return id === undefined || link === undefined ? [] : [{ ...wanted, id, link }];
  });
  await storeRegistrationLinks(people, transaction);
  await insertSubscriptions([...subscribed, ...people], transaction, now);
  await insertInvitations(people, transaction, now);
  const mailed = people.filter(({ email }) => email !== null);
  await addJobs(
    INVITATION_MAIL_JOB,
    mailed.map(({ id }) => ({ subject: String(id), dueAt: now })),
    transaction,
    now,
  );
  await record(entriesOf(plan, people, titleOf), transaction);
  return people;
}

/** One for each person, and one for all of it. */
function entriesOf(
  { subscribed }: Plan,
  people: readonly Added[],
  titleOf: (topicId: number) => string,
): Entry[] {
  const titles = (ids: readonly number[]): string => ids.map(titleOf).join(', ');
  return [
    ...people.map(({ id, role, topicIds }): Entry => {
      const topics = topicIds.length > 0 ? `, subscribed to ${titles(topicIds)}` : '';
      return {
        action: 'user.add',
        person: id,
        detail: `${roleNames[role ?? 'CUSTOMER']}${topics}`,
      };
    }),
    ...subscribed.map(
      ({ id, topicIds }): Entry => ({
        action: 'subscription.add',
        person: id,
        detail: titles(topicIds),
      }),
    ),
    {
      action: 'user.import',
      detail: `${people.length} added, ${subscribed.length} who existed subscribed`,
    },
  ];
}

/** @returns their ids by the folded name */
async function insertUsers(
  people: readonly Wanted[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<Map<string, number>> {
  if (people.length === 0) return new Map();
  const rows = tableOfList(
    people.map((one) => [
      one.username,
      one.usernameKey,
      one.email,
      one.emailKey,
      one.role ?? 'CUSTOMER',
    ]),
  );
  const inserted = await sql<{ id: number; username_key: string }>`insert into users
    (username, username_key, email, email_key, role, status, created_at)
    select value->>0, value->>1, value->>2, value->>3, value->>4, 'PENDING', cast(${now} as bigint)
    from ${rows} where true order by cast(key as integer)
    returning id, username_key`.execute(transaction);
  return new Map(inserted.rows.map(({ id, username_key }) => [username_key, id]));
}

/** By topic and person, as others who subscribe many do: two at once wait for each other in turn. */
async function insertSubscriptions(
  wanted: readonly { id: number; topicIds: readonly number[] }[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const byTopic = new Map<number, number[]>();
  for (const { id, topicIds } of wanted)
    for (const topicId of topicIds) {
      const ids = byTopic.get(topicId);
      if (ids) ids.push(id);
      else byTopic.set(topicId, [id]);
    }
  if (byTopic.size === 0) return;
  const pairs = [...byTopic]
    .sort(([one], [other]) => one - other)
    .flatMap(([topicId, ids]) =>
      ids.sort((one, other) => one - other).map((id) => [id, topicId] as const),
    );
  await sql`insert into subscriptions (user_id, topic_id, created_at)
    select cast(value->>0 as bigint), cast(value->>1 as bigint), cast(${now} as bigint)
    from ${tableOfList(pairs)} where true order by cast(key as integer)
    on conflict (user_id, topic_id) do nothing`.execute(transaction);
}

async function insertInvitations(
  people: readonly Added[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (people.length === 0) return;
  const rows = tableOfList(
    people.map(({ id, email }) => [id, email === null ? 'none' : 'waiting']),
  );
  await sql`insert into invitations (user_id, mail, imported_at)
    select cast(value->>0 as bigint), value->>1, cast(${now} as bigint)
    from ${rows} where true order by cast(key as integer)`.execute(transaction);
}
