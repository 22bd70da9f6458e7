import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import type { Claim } from '../../../server/db/outbox/claim';
import { recordOutcomes, type Settlement } from '../../../server/db/outbox/outcomes';
import { expireRows } from '../../../server/db/outbox/upkeep';
import { createWriting } from '../../../server/messages/sending/writing';
import { audienceOf } from '../../support/server/audience';
import { serverSuite } from '../../support/server/server';
import { Dice } from '../../simulation/random';

const { test, server } = serverSuite('everything at once');

test('sends, pushes, cancelling, ringing again, expiry and deletions at the same time leave ledger, outbox and counters in agreement', async () => {
  const stage = audienceOf(server);
  const { db, now } = server.services;
  const dice = new Dice(Number(process.env.SEED ?? 7));
  const everybody = await stage.makeCrowd(6000);
  const third = await server.makeTopic();
  await sql`insert into subscriptions (user_id, topic_id, created_at)
    select user_id, cast(${third} as bigint), 0 from subscriptions where topic_id = ${everybody} and user_id % 3 = 0`.execute(
    db,
  );
  const people = (
    await db.selectFrom('subscriptions').select('user_id').where('topic_id', '=', third).execute()
  ).map(({ user_id }) => user_id);
  const sent: string[] = [];
  const statuses = new Set<number>();
  let isSending = true;

  async function send(nth: number): Promise<void> {
    const userIds = Array.from({ length: 300 }, () => dice.pick(people));
    const { status, answer } = await stage.send(
      nth % 8 === 0
        ? { topicIds: [everybody, third] }
        : { topicIds: nth % 2 ? [third] : [], userIds },
    );
    statuses.add(status);
    if (status === 202) sent.push(answer.messageId);
  }

  function end(claim: Claim): Settlement {
    if (claim.recipient === undefined)
      return { claim, state: 'skipped', reason: claim.fallen ?? null, attempted: false };
    const chance = dice.from(1, 100);
    if (chance <= 10)
      return { claim, state: 'pending', reason: '500', dueAt: now(), attempted: true };
    const state = chance <= 12 ? 'gone' : chance <= 50 ? 'failed' : 'accepted';
    return { claim, state, reason: null, attempted: true };
  }

  async function deliver(): Promise<boolean> {
    const claims = await stage.claimAll();
    for (let from = 0; from < claims.length; from += 128) {
      const some = claims.slice(from, from + 128).sort(() => dice.from(0, 1) - 0.5);
      await recordOutcomes(db, some.map(end), now());
    }
    return claims.length > 0;
  }

  const others = [createWriting(() => server.services), createWriting(() => server.services)];
  const meanwhile = async (work: () => Promise<unknown>): Promise<void> => {
    while (isSending) {
      await work();
      await wait(5);
    }
  };
  const sending = Promise.all(
    [0, 1, 2].map(async (sender) => {
      for (let nth = 0; nth < 12; nth += 1) await send(nth * 3 + sender);
    }),
  ).finally(() => (isSending = false));
  await Promise.all([
    sending,
    ...others.map((writing) => meanwhile(() => writing.runSome())),
    meanwhile(deliver),
    meanwhile(deliver),
    meanwhile(async () => sent.length > 0 && dice.chance(10) && stage.cancel(dice.pick(sent))),
    meanwhile(async () => sent.length > 0 && dice.chance(30) && stage.repeat(dice.pick(sent))),
    meanwhile(async () => {
      const [id] = people.splice(dice.from(0, people.length - 1), 1);
      await db.deleteFrom('users').where('id', '=', id!).execute();
    }),
    meanwhile(() => expireRows(db, now() + (dice.chance(5) ? 25 * 3600_000 : 0))),
  ]);
  assert.ok(
    [...statuses].every((status) => [202, 400].includes(status)),
    [...statuses].join(),
  );
  await server.writing.runDue();
  while (await deliver());

  const none = async (what: string, query: ReturnType<typeof sql>): Promise<void> =>
    assert.equal((await query.execute(db)).rows, [], what);
  await none(
    'a push that never ends',
    sql`select id from deliveries where state = 'pending' limit 3`,
  );
  await none(
    'a person who waits',
    sql`select user_id from recipients where waiting <> 0 or state = 'pending' limit 3`,
  );
  await none(
    'a gap in the numbers of a person',
    sql`select user_id from recipients group by user_id having count(*) <> max(seq) or min(seq) <> 1 limit 3`,
  );
  await none(
    'a number of people that is wrong',
    sql`select id from messages where people <> (select count(*) from recipients where message_id = messages.id) limit 3`,
  );
  await none(
    'a push that the ledger does not know',
    sql`select id from deliveries where not exists (select 1 from recipients
      where recipients.message_id = deliveries.message_id and recipients.user_id = deliveries.user_id) limit 3`,
  );
  await none(
    'a person who was reached, and is not said to be',
    sql`select id from deliveries where state = 'accepted' and not exists (select 1 from recipients
      where recipients.message_id = deliveries.message_id and recipients.user_id = deliveries.user_id and recipients.state = 'accepted') limit 3`,
  );
  await none('work that is left', sql`select id from jobs limit 3`);
  assert.equal(
    server.log.filter((line) => line.includes('"level":"error"')),
    [],
  );
});

test.run();
