import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeCertificate } from '../../../server/demo/phones/certificate';
import { findRejection } from '../../../server/db/errors';
import { openDatabase } from '../../../server/db/open';
import { startPostgres } from '../../support/processes/postgres.mjs';

const test = suite('TLS to PostgreSQL');

const folder = mkdtempSync(join(tmpdir(), 'fieldbell-tls-'));
const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let authority: string;
let otherAuthority: string;
test.before(async () => {
  chmodSync(folder, 0o755);
  const { cert, key } = makeCertificate(['localhost']);
  authority = write('server.crt', cert);
  otherAuthority = write('other.crt', makeCertificate(['localhost']).cert);
  const keyFile = write('server.key', key);
  chmodSync(keyFile, 0o600);
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', keyFile]);
  postgres = await startPostgres([
    'ssl=on',
    `ssl_cert_file=${authority}`,
    `ssl_key_file=${keyFile}`,
    `hba_file=${write('hba.conf', 'hostssl all all all trust\n')}`,
  ]);
});
test.after(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

/** `encrypted`, `plain`, or why the connection was rejected for good. */
async function connect(settings: string): Promise<string> {
  const databaseUrl = `${postgres.url.replace('127.0.0.1', 'localhost')}?${settings}`;
  const { db, close } = openDatabase({ databaseUrl, dataDir: folder });
  try {
    const { rows } = await sql<{ ssl: boolean }>`
      select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db);
    return rows[0]?.ssl ? 'encrypted' : 'plain';
  } catch (error) {
    return findRejection(error) ?? `not rejected, but ${String(error)}`;
  } finally {
    await close();
  }
}

test('encrypts, and accepts only a certificate of the given authority', async () => {
  assert.is(await connect(`sslmode=verify-full&sslrootcert=${authority}`), 'encrypted');
  assert.match(await connect(`sslmode=verify-full&sslrootcert=${otherAuthority}`), /certificate/);
  assert.match(await connect('sslmode=require'), /self-signed certificate/);
  assert.is(await connect('sslmode=no-verify'), 'encrypted');
});

test('reports PostgreSQL’s reason when it rejects an unencrypted connection', async () => {
  assert.match(await connect('sslmode=disable'), /no encryption/);
  assert.match(await connect(''), /no encryption/);
});

test.run();
