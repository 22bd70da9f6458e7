/** Real Alertmanagers (Debian's `prometheus-alertmanager`) as processes. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ALERTMANAGER_PROGRAM = 'prometheus-alertmanager';

export const isAlertmanagerInstalled = (): boolean =>
  spawnSync(ALERTMANAGER_PROGRAM, ['--version']).error === undefined;

export interface Alertmanager {
  /** Sends alerts to Alertmanager, like Prometheus. */
  sendAlerts(...alerts: object[]): Promise<void>;
  countNotifications(): Promise<number>;
  countFailed(): Promise<number>;
  output(): string;
  stop(): Promise<void>;
}

/** @param config the content of `alertmanager.yml` */
export async function startAlertmanager(config: string): Promise<Alertmanager> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-alertmanager-'));
  const file = join(folder, 'alertmanager.yml');
  writeFileSync(file, config);
  const child = spawn(
    ALERTMANAGER_PROGRAM,
    [
      `--config.file=${file}`,
      `--storage.path=${folder}`,
      '--web.listen-address=127.0.0.1:0',
      '--cluster.listen-address=', // no cluster
      '--log.format=json',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const output = (): string => lines.join('\n');
  const address = await new Promise<string>((resolve, failed) => {
    createInterface(child.stderr).on('line', (line) => {
      lines.push(line);
      const [, at] = /"address":"([\d.]+:\d+)".*"msg":"Listening on"/.exec(line) ?? [];
      if (at !== undefined) resolve(`http://${at}`);
    });
    void exited.then(() => failed(new Error(`Alertmanager ended:\n${output()}`)));
  });

  async function readMetric(name: string): Promise<number> {
    const text = await (await fetch(`${address}/metrics`)).text();
    const counter = new RegExp(`^${name}\\{[^}]*integration="webhook"[^}]*\\} (\\S+)$`, 'gm');
    return [...text.matchAll(counter)].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  return {
    async sendAlerts(...alerts) {
      const { status } = await fetch(`${address}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(alerts),
      });
      if (status !== 200) throw new Error(`Alertmanager answered ${status}.`);
    },
    countNotifications: () => readMetric('alertmanager_notifications_total'),
    countFailed: () => readMetric('alertmanager_notifications_failed_total'),
    output,
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
