import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { transactAs } from '../../../../server/http/access/authority';
import { openDatabase } from '../../../../server/db/open';
import type { Database } from '../../../../server/db/open';
import { onPostgres } from '../../../support/database/database';
import { eventually } from '../../../support/eventually';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('authority');

const rowOf = (person: Person) =>
  server.services.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', person.id)
    .executeTakeFirstOrThrow();
const demote = (person: Person, db: Database) =>
  db
    .updateTable('users')
    .set((row) => ({ role: 'CUSTOMER' as const, session_version: row('session_version', '+', 1) }))
    .where('id', '=', person.id)
    .execute();

test('leaves one of two administrators who remove each other at once, without an error', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [ada, ben] = [await server.createPerson('ADMIN'), await server.createPerson('ADMIN')];
    const responses = await Promise.all([
      server.changeRole(ada, ben.id, 'CUSTOMER'),
      server.deleteUser(ben, ada.id),
    ]);
    const statuses = responses.map(({ status }) => status).sort();
    assert.equal(statuses, [200, 401], `round ${round}`);
    const left = await server.services.db
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'ADMIN')
      .execute();
    assert.is(left.length, 1);
    await server.services.db.deleteFrom('users').execute();
  }
});

/** SQLite runs one transaction after the other. */
if (onPostgres) {
  test('makes a change wait for a demotion in progress, then rejects it', async () => {
    const person = await server.createPerson('ADMIN');
    const call = await server.services.db.transaction().execute(async (transaction) => {
      await demote(person, transaction);
      const calling = server.call('POST /api/admin/topics', {
        as: person,
        body: { title: 'T', description: 'D' },
      });
      const waiting = sql`select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`;
      await eventually(
        async () => (await waiting.execute(server.services.db)).rows.length > 0,
        'the call to wait for the row',
      );
      return { calling };
    });
    assert.is((await call.calling).status, 401);
    assert.equal(await server.services.db.selectFrom('topics').select('id').execute(), []);
  });

  test('makes a demotion wait for a change that was allowed before', async () => {
    const person = await server.createPerson('ADMIN');
    const secondDatabase = openDatabase(server.services.config);
    await transactAs({ user: await rowOf(person), sid: '' }, '192.0.2.1', server.services, () =>
      Promise.resolve(),
    )(async () => {
      const impatient = secondDatabase.db.transaction().execute(async (transaction) => {
        await sql`set local lock_timeout = '20ms'`.execute(transaction);
        await demote(person, transaction);
      });
      const error = await impatient.then(
        () => undefined,
        (reason: { code?: string }) => reason,
      );
      assert.is(error?.code, '55P03', 'the row is held');
    });
    await demote(person, secondDatabase.db);
    await secondDatabase.close();
    assert.is((await rowOf(person)).role, 'CUSTOMER');
  });
}

test.run();
