/** If no mail server is set up, mails are files in `DATA_DIR/mail`. */
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../db/open';
import { foldCase } from '../../src/shared/case-fold';
import { runInBatches } from '../lib/loop';

/** No link in a mail is valid for longer. */
const MAIL_FILE_RETENTION_MS = 30 * 24 * 60 * 60_000;
const FILES_PER_BATCH = 100;
const HEADER_BYTES = 2048;

export async function deleteOldMailFiles(
  dataDir: string,
  db: Database,
  now: number,
  stopSignal: AbortSignal,
): Promise<void> {
  if (dataDir === '') return;
  const folder = join(dataDir, 'mail');
  const mailFiles = await readdir(folder).catch(() => []);
  const names = mailFiles.filter((name) => name.endsWith('.eml'));
  await runInBatches(async () => {
    const batch = names.splice(0, FILES_PER_BATCH).map((name) => join(folder, name));
    const mails = await Promise.all(batch.map(readMailFile));
    const knownAddresses = await findAddresses([...new Set(mails.map(({ to }) => to))], db);
    for (const { file, to, writtenAt } of mails) {
      // A file that names no address may be a mail that is being written.
      const isForNoAccount = to !== '' && !knownAddresses.has(to);
      if (isForNoAccount || writtenAt < now - MAIL_FILE_RETENTION_MS)
        await rm(file, { force: true });
    }
    return names.length > 0;
  }, stopSignal);
}

interface MailFile {
  file: string;
  to: string;
  writtenAt: number;
}

async function readMailFile(file: string): Promise<MailFile> {
  // Another process may have removed the file.
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return { file, to: '', writtenAt: 0 };
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const [headers = ''] = buffer.toString('utf8', 0, bytesRead).split('\n\n');
    const lines = headers.replace(/\n[ \t]+/g, '').split('\n');
    const to = lines.find((line) => line.startsWith('To: '))?.slice('To: '.length) ?? '';
    const { mtimeMs } = await handle.stat();
    return { file, to: to.replace(/[\s<>]/g, ''), writtenAt: mtimeMs };
  } finally {
    await handle.close();
  }
}

async function findAddresses(addresses: readonly string[], db: Database): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const accounts = await db
    .selectFrom('users')
    .select('email_key')
    .where('email_key', 'in', addresses.map(foldCase))
    .execute();
  const keys = new Set(accounts.map(({ email_key }) => email_key));
  const changes = await db
    .selectFrom('email_changes')
    .select('email')
    .where('email', 'in', addresses)
    .execute();
  const knownNames = [
    ...addresses.filter((address) => keys.has(foldCase(address))),
    ...changes.map(({ email }) => email),
  ];
  return new Set(knownNames);
}
