import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../../server/db/open';
import type { OpenDatabase } from '../../../server/db/open';
import { inTransaction } from '../../../server/db/transaction';
import { createDatabase, onPostgres } from '../../support/database/database';
import type { TestDatabase } from '../../support/database/database';

const test = suite('transactions');
let database: TestDatabase;
let openedDatabase: OpenDatabase;

test.before.each(async () => {
  database = await createDatabase();
  openedDatabase = openDatabase(database.config);
});
test.after.each(async () => {
  await openedDatabase.close();
  await database.drop();
});

const settings = () =>
  openedDatabase.db.selectFrom('settings').selectAll().orderBy('name').execute();
const failure = (code: string): Error => Object.assign(new Error(code), { code });

for (const code of ['40P01', '40001']) {
  test(`repeats a transaction that PostgreSQL aborts with ${code}, three times at most`, async () => {
    for (const [failures, expected] of [
      [2, { tries: 3, rows: [{ name: 'try', value: '3' }] }],
      [9, { tries: 3, rows: [] }],
    ] as const) {
      let tries = 0;
      const outcome = await inTransaction(openedDatabase.db, async (transaction) => {
        tries += 1;
        await transaction
          .insertInto('settings')
          .values({ name: 'try', value: String(tries) })
          .execute();
        if (tries <= failures) throw failure(code);
        return 'done';
      }).catch((error: { code: string }) => error.code);
      assert.is(outcome, failures === 2 ? 'done' : code);
      assert.equal({ tries, rows: await settings() }, expected);
      await openedDatabase.db.deleteFrom('settings').execute();
    }
  });
}

test('runs a transaction once if it fails for another reason', async () => {
  for (const code of ['23505', '57014', 'SQLITE_BUSY']) {
    let tries = 0;
    const outcome = await inTransaction(openedDatabase.db, async () => {
      tries += 1;
      throw failure(code);
    }).catch((error: { code: string }) => error.code);
    assert.equal([outcome, tries], [code, 1]);
  }
});

/** SQLite has one writer, so it has no deadlocks. */
if (onPostgres) {
  test('completes two transactions that deadlock', async () => {
    const names = ['one', 'other'] as const;
    for (const name of names)
      await openedDatabase.db.insertInto('settings').values({ name, value: '' }).execute();
    let holding = 0;
    let bothHold: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (bothHold = resolve));
    const set = (first: string, second: string) =>
      inTransaction(openedDatabase.db, async (transaction) => {
        for (const name of [first, second]) {
          await transaction
            .updateTable('settings')
            .set({ value: sql`settings.value || ${sql.lit(first)}` })
            .where('name', '=', name)
            .execute();
          if (++holding === 2) bothHold();
          await held;
        }
      });
    await Promise.all([set('one', 'other'), set('other', 'one')]);
    for (const { value } of await settings()) assert.is(value.length, 'oneother'.length);
  });
}

test.run();
