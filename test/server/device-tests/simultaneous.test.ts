import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import { openDatabase } from '../../../server/db/open';
import type { DeviceReachRow } from '../../../server/db/schema';
import { settlePush } from '../../../server/delivery/queue/settle';
import { createAudienceHelpers } from '../../support/server/audience';
import { onPostgres } from '../../support/database/database';
import { createDeviceTestHelpers } from '../../support/server/device-tests';
import type { TestDevice } from '../../support/server/device-tests';
import type { Person } from '../../support/server/server';
import { createServer } from '../../support/server/server';

const test = suite('outcomes, receipts and deletions at once');
const PEOPLE_COUNT = 12;
const ROUNDS = 5;

test('loses nothing when outcomes, receipts and deletions happen at once', async () => {
  const server = await createServer();
  // SQLite has one writer, which is this process.
  const second = onPostgres ? openDatabase(server.services.config) : undefined;
  try {
    const { db } = server.services;
    const deviceTests = createDeviceTestHelpers(server);
    const audience = createAudienceHelpers(server);
    const people: [Person, TestDevice][] = [];
    for (let nth = 0; nth < PEOPLE_COUNT; nth += 1) {
      const person = await server.createPerson('TECHNICIAN');
      people.push([person, await deviceTests.register(person, `token-${nth}`)]);
    }
    const [leaving] = people.at(-1) ?? [];
    for (let round = 0; round < ROUNDS; round += 1) {
      server.clock.now += 3_600_000;
      const { body } = await audience.send({ userIds: people.map(([{ id }]) => id) });
      for (const [person, { id }] of people) await deviceTests.startTest(person, id);
      const claims = await deviceTests.claimAll();
      const half = claims.length >> 1;
      const record = (on: typeof db, some: typeof claims) =>
        recordOutcomes(
          on,
          some.map((claim) => settlePush(claim, { kind: 'accepted' }, server.clock.now, () => 0)),
          server.clock.now,
        );
      const work: Promise<unknown>[] = [
        record(db, claims.slice(0, half).reverse()),
        record(second?.db ?? db, claims.slice(half)),
        ...people
          .map(([, { key }]) =>
            deviceTests.reportReceipts(
              key,
              ...claims.map(({ message }) => ({
                messageId: message.testId ?? body.messageId,
                kind: 'displayed' as const,
              })),
            ),
          )
          .reverse(),
      ];
      if (round === ROUNDS - 1 && leaving)
        work.push(db.deleteFrom('users').where('id', '=', leaving.id).execute());
      await Promise.all(work);
    }
    const rows = await db.selectFrom('device_reach').selectAll().execute();
    assert.is(rows.length, PEOPLE_COUNT - 1);
    for (const row of rows) {
      const recent = JSON.parse(row.recent) as [string, number, number][];
      assert.is(recent.length, 8);
      assert.ok(recent.every(([, acceptedAt, displayedAt]) => acceptedAt && displayedAt));
      assert.is((row as DeviceReachRow).median_delay, 0);
    }
    const tests = await db.selectFrom('tests').selectAll().execute();
    assert.is(tests.length, (PEOPLE_COUNT - 1) * ROUNDS);
    assert.ok(tests.every(({ accepted_at, displayed_at }) => accepted_at && displayed_at));
    if (onPostgres) {
      const { rows: found } = await sql<{ deadlocks: number }>`
        select deadlocks from pg_stat_database where datname = current_database()`.execute(db);
      assert.is(Number(found[0]?.deadlocks), 0);
    }
    assert.not(server.log.some((line) => line.includes('"level":"error"')));
  } finally {
    await second?.close();
    await server.close();
  }
});

test.run();
