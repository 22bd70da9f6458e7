import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loopFaults } from './unbounded-loops.mjs';

const test = suite('loops');

test('reports a loop that awaits without yielding or a bound', () => {
  const source = [
    'for (const row of await read()) use(row);',
    'for (const row of rows) await write(row);',
    'while (await step()) await yieldToEventLoop();',
    'for await (const piece of pieces) await write(piece);',
    'for (const row of rows) work(async () => await write(row));',
    'do { found = await look(); } while (found);',
  ].join('\n');
  const faultsOf = (...bounds: string[]) =>
    loopFaults(
      ['server/a.ts', 'src/a.ts', 'server/cli/a.ts'],
      { 'server/a.ts': bounds },
      {},
      () => source,
    );
  assert.equal(faultsOf('20 rows', '5 tries'), []);
  assert.equal(faultsOf('20 rows'), [
    'server/a.ts: 2 loops wait without yieldToEventLoop() (lines 2, 6), 1 have a bound in test/checks/unbounded-loops.mjs',
  ]);
});

test('reports a statement that reads rows without a limit or a bound', () => {
  const source = [
    "db.selectFrom('topics').selectAll().execute();",
    "db.selectFrom('topics').selectAll().limit(5).execute();",
    "db.selectFrom('topics').where('id', 'in', ids).execute();",
    'sql`select id from users`.execute(db);',
    'sql`delete from users where id in (select id from gone)`.execute(db);',
    'db.transaction().execute(work);',
  ].join('\n');
  const faultsOf = (...bounds: string[]) =>
    loopFaults(['server/a.ts'], {}, { 'server/a.ts': bounds }, () => source);
  assert.equal(faultsOf('all topics', 'all people'), []);
  assert.equal(faultsOf('all topics'), [
    'server/a.ts: 2 statements read rows without a limit (lines 1, 4), 1 have a bound in test/checks/unbounded-loops.mjs',
  ]);
});

test.run();
