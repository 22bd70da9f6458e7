/** Cuts the server's outgoing network with pushes pending, then restores it. */
import { equal, ok } from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { launchChromium } from '../../../support/browsers/chromium';
import { eventually } from '../../../support/eventually';
import { ADMIN_PASSWORD, startInstallation } from '../../../support/processes/installation';
import { startPostgres } from '../../../support/processes/postgres.mjs';
import { startPushSink } from '../../../support/push-services/push-sink';
import { builtFolder } from '../../parts/builds';
import { Company } from '../../parts/company';
import { startServerAndBrowser, type CleanUp, type Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { printInStory } from '../../parts/page-records';

const PEOPLE = ['m.okafor', 'j.petrov', 'a.lindqvist'];
const [TWO_MINUTES, ONE_MINUTE] = [120_000, 60_000];

/** A proxy to a local port. While cut it silently drops everything. */
async function startWire(to: number, cleanUp: CleanUp) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes) => void (isCut || other.write(bytes)));
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }).listen(0);
  await once(server, 'listening');
  cleanUp(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, cut: (on: boolean) => void (isCut = on) };
}

async function cutAndRestoreNetwork(
  engine: 'SQLite' | 'PostgreSQL',
  cleanUp: CleanUp,
): Promise<void> {
  const postgres = engine === 'PostgreSQL' ? await startPostgres() : undefined;
  if (postgres) cleanUp(() => postgres.stop());
  const sink = await startPushSink();
  cleanUp(() => sink.close());
  const wire = await startWire(sink.port, cleanUp);
  const host = `localhost:${wire.port}`;
  const [installation, browser] = await startServerAndBrowser(
    startInstallation({
      built: builtFolder('web-push'),
      environment: {
        PUSH_ALLOWED_HOSTS: host,
        ...(postgres && { DATABASE_URL: await postgres.createDatabase('bell') }),
      },
    }),
    launchChromium(),
    cleanUp,
  );
  const company = await Company.connect(installation.address);
  const topic = await company.addTopic('Grid outages');
  for (const name of PEOPLE) {
    await company.addTechnician(name, [topic]);
    await company.callAs(name, 'POST /api/notifications/register-device', {
      deviceToken: sink.subscribe(name).token.replace(sink.host, host),
      deviceType: 'web',
      userAgent: '',
    });
  }
  await company.sendMessage(topic, 'Before the cut');
  await sink.waitForPushes(PEOPLE.length);
  const admin = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await admin.signIn('admin', ADMIN_PASSWORD);
  await admin.open('/admin');

  const health = async () => (await fetch(`${installation.address}/api/health`)).json();
  /** Resolves with the seconds until both say it. */
  async function waitForStates(states: [health: string, dashboard: string], within: number) {
    const startedAt = performance.now();
    await eventually(
      async () => {
        const { pushServices, delivery } = await health();
        return `${delivery} ${pushServices.state}` === states[0];
      },
      `health to say ${states[0]}`,
      within,
    );
    const left = Math.max(1, within - (performance.now() - startedAt));
    await admin.page.waitForFunction(
      (text) => document.body.textContent?.replace(/\s+/g, ' ').includes(text),
      { timeout: left },
      states[1],
    );
    return Math.round((performance.now() - startedAt) / 1000);
  }
  await waitForStates(['ok accepting', 'Other push services Accepting messages.Good'], ONE_MINUTE);

  wire.cut(true);
  await company.sendMessage(topic, 'During the cut');
  const noticed = await waitForStates(['late unreachable', `(${host}, timeout)`], TWO_MINUTES);
  wire.cut(false);
  const over = await waitForStates(
    ['ok accepting', 'Other push services Accepting messages.Good'],
    ONE_MINUTE,
  );
  await sink.waitForPushes(2 * PEOPLE.length);
  printInStory(`told ${noticed} s after the cut, and ${over} s after its end`);
  for (const event of ['push service unreachable', 'push service reachable again'])
    equal(installation.output.filter((line) => line.includes(event)).length, 1, event);
  ok(installation.output.some((line) => line.includes(`"host":"${host}","reason":"timeout"`)));
}

export const networkCutStories: Story[] = (['SQLite', 'PostgreSQL'] as const).map((engine) => ({
  name: `delivers after the network is cut and restored, on ${engine}`,
  run: (cleanUp) => cutAndRestoreNetwork(engine, cleanUp),
}));
