import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseFault } from '../../../server/db/errors';
import { openDatabase } from '../../../server/db/open';
import { createEmptyDatabase, onPostgres } from '../../support/database/database';

const test = suite('database errors');
const withCode = (code: string): Error => Object.assign(new Error(), { code });

test('classifies errors of both engines by their code', () => {
  for (const code of [
    'SQLITE_BUSY',
    'SQLITE_BUSY_SNAPSHOT',
    'SQLITE_FULL',
    'SQLITE_IOERR_WRITE',
    '08006',
    '28P01',
    '3D000',
    '40P01',
    '53300',
    '57014',
    '25006',
  ]) {
    assert.is(databaseFault(withCode(code)), 'unavailable', code);
  }
  for (const code of ['SQLITE_CONSTRAINT_UNIQUE', '23505'])
    assert.is(databaseFault(withCode(code)), 'duplicate', code);
  for (const code of ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503'])
    assert.is(databaseFault(withCode(code)), 'missing-reference', code);
  for (const bug of [
    withCode('42P01'),
    withCode('SQLITE_ERROR'),
    new Error('SQLITE_BUSY'),
    'SQLITE_BUSY',
    null,
  ])
    assert.is(databaseFault(bug), undefined);
});

if (onPostgres) {
  test('reports an unknown PostgreSQL database as unavailable', async () => {
    const { config, drop } = await createEmptyDatabase();
    const wrong = new URL(config.databaseUrl ?? '');
    wrong.pathname = '/no_such_database';
    const { db, close } = openDatabase({ ...config, databaseUrl: wrong.href });
    const error = await db
      .selectFrom('users')
      .select('id')
      .execute()
      .catch((reason: unknown) => reason);
    assert.is(databaseFault(error), 'unavailable');
    await close();
    await drop();
  });
}

test.run();
