/** What happens to messages that are not answered: policies, whom they call, and one that went on. */
import { randomBytes } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import type { KeptPolicy } from '../escalation/plan';
import * as names from './names';

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

/** One answers; the other has been down since yesterday. */
const WEBHOOKS = [
  {
    url: 'https://sms.northgrid.example/fieldbell',
    events: '[]',
    last_status: 200,
    failing: false,
  },
  {
    url: 'https://control-room.northgrid.example/hooks/fieldbell',
    events: '["message.sent","message.acknowledged"]',
    last_status: 503,
    failing: true,
  },
] as const;

/** The policies, of which topics have some. Resolves with them, by name. */
export async function insertPolicies(
  db: Database,
  now: number,
  topics: { id: number; title: string }[],
): Promise<Map<string, KeptPolicy>> {
  await db
    .insertInto('webhooks')
    .values(
      WEBHOOKS.map(({ failing, ...webhook }) => ({
        ...webhook,
        secret: `whsec_${randomBytes(24).toString('base64')}`,
        last_at: now - 10 * MINUTE,
        failing_since: failing ? now - 20 * HOUR : null,
      })),
    )
    .execute();
  const idOf = (title: string): number => {
    const topic = topics.find((row) => row.title === title);
    if (topic === undefined) throw new Error(`The sample has no topic called ${title}`);
    return topic.id;
  };
  const policies = new Map<string, KeptPolicy>();
  for (const { name, quorum, ofTopics, steps } of names.policies) {
    const kept = steps.map(({ minutes, action, topic }) => ({
      after: minutes * 60,
      action,
      ...(topic !== undefined && { topicId: idOf(topic) }),
      ...(action === 'webhook' && { url: WEBHOOKS[0].url }),
    }));
    const { id } = await db
      .insertInto('policies')
      .values({ name, quorum, steps: JSON.stringify(kept) })
      .returning('id')
      .executeTakeFirstOrThrow();
    policies.set(name, { id, name, quorum, steps: kept });
    for (const title of ofTopics)
      await db.updateTable('topics').set({ policy_id: id }).where('id', '=', idOf(title)).execute();
  }
  return policies;
}

type Recipient = Pick<Insertable<Tables['recipients']>, 'user_id' | 'acknowledged_at'>;

/** Has a message gone on as the policy says, until enough had answered. */
export async function escalate(
  db: Database,
  message: { id: string; at: number },
  policy: KeptPolicy,
  recipients: readonly Recipient[],
): Promise<void> {
  const answers = recipients
    .flatMap(({ user_id, acknowledged_at: at }) => (at ? [{ user_id, at }] : []))
    .sort((one, other) => one.at - other.at);
  const last = answers[(policy.quorum ?? recipients.length) - 1];
  const openAt = (time: number) =>
    recipients.length - answers.filter(({ at }) => at <= time).length;
  await db
    .updateTable('messages')
    .set({
      policy: JSON.stringify(policy),
      ...(last && { stopped: 'quorum', stopped_at: last.at, stopped_by: last.user_id }),
    })
    .where('id', '=', message.id)
    .execute();
  const steps = policy.steps.map(({ after, action, topicId }, position) => {
    const due_at = message.at + after * 1000;
    const isDone = !last || due_at < last.at;
    return {
      message_id: message.id,
      position,
      action,
      topic_id: topicId ?? null,
      due_at,
      done_at: isDone ? due_at + 2000 : null,
      people: isDone ? openAt(due_at) : null,
    };
  });
  await db.insertInto('escalation_steps').values(steps).execute();
  const outcomes = steps
    .filter(({ action, people }) => people !== null && people > 0 && action !== 'notify')
    .flatMap(({ message_id, position, action, people }) =>
      // The sample has no mail server.
      (['asked', action === 'mail' ? 'not-possible' : 'done'] as const).map((outcome) => ({
        ...{ message_id, position, outcome, people: people ?? 0 },
        reason: outcome === 'not-possible' ? 'mail-not-set-up' : '',
      })),
    );
  if (outcomes.length > 0) await db.insertInto('step_outcomes').values(outcomes).execute();
}

/** One sleeps at night, and longer at the weekend. */
export async function insertQuietHours(db: Database): Promise<void> {
  const sleeper = await db
    .selectFrom('users')
    .where('username', '=', names.sleeper)
    .select('id')
    .executeTakeFirstOrThrow();
  const rules = [
    { days: [1, 2, 3, 4, 7], from: '22:00', to: '06:00' },
    { days: [5, 6], from: '22:00', to: '08:00' },
  ];
  await db
    .insertInto('quiet_hours')
    .values({ user_id: sleeper.id, time_zone: 'Europe/Oslo', rules: JSON.stringify(rules) })
    .execute();
}
