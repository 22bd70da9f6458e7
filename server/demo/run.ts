/** Starts a demo: the sample, a real server and the phones. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { sql } from 'kysely';
import { readConfig } from '../config/config';
import { loadOrCreateSecret } from '../config/kept-secret';
import { migrate } from '../db/migrate';
import { openDatabase } from '../db/open';
import type { Log } from '../lib/log';
import { startServer } from '../start';
import { trustCertificate } from './phones/certificate';
import { startPhones } from './phones/phones';
import { startPushService } from './phones/push-service';
import { fillSample } from './sample';

export interface Demo {
  address: string;
  /** Resolves when everything is removed. */
  stop(): Promise<void>;
}

export type DemoEnvironment = Partial<Record<'PORT' | 'HOST' | 'PUBLIC_URL', string | undefined>>;

/** The demo's files are removed even if the process just exits. */
export async function startDemo(
  { PORT, HOST, PUBLIC_URL }: DemoEnvironment,
  log: Log,
  staticFolder: string,
  pace = 1,
): Promise<Demo> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fieldbell-demo-'));
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', remove);
  const pushService = await startPushService();
  const removeTrust = trustCertificate(pushService.certificate, rootCertificates);
  // A demo must never touch real data. Its password is public, so it listens on this machine only.
  const settings = readConfig({
    ...{ PORT, HOST: HOST || '127.0.0.1', PUBLIC_URL, DATA_DIR: dataDir },
    ...{ PUSH_ALLOWED_HOSTS: pushService.host, WEBHOOK_ALLOWED_HOSTS: pushService.host },
  });
  const config = { ...settings, jwtSecret: loadOrCreateSecret(dataDir) };
  await migrate(config);
  const { db, close } = openDatabase(config);
  await sql`pragma synchronous = off`.execute(db);
  const sample = await fillSample({ db, config }, Date.now(), pushService);
  await close();
  // The sample has an administrator already.
  const runningServer = await startServer(config, log, staticFolder, () => Promise.resolve());
  const phones = startPhones(sample, runningServer.address, pace);
  pushService.onPush(phones.handlePush);
  return {
    address: runningServer.address,
    async stop() {
      phones.stop();
      await runningServer.stop();
      await pushService.close();
      removeTrust();
      remove();
      process.off('exit', remove);
    },
  };
}
