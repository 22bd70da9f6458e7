/**
 * Whole installations, made with the files of server/deploy and Debian's
 * packages (`test/deploy/install.sh`, as root). Some minutes; by hand, and no part of CI.
 *
 *   node test/deploy/run.mjs [NAME …]
 *
 * A scenario whose programs are not installed is skipped, with a line that says so. SECONDS (60) and
 * DEVICES (6,000) say how much. The last line is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from '../../build.mjs';
import { startProcess } from '../abuse/process.mjs';
import { startSink } from '../abuse/push-sink.mjs';
import { testAlerts } from './scenarios/alerts.mjs';
import { testContainer } from './scenarios/container.mjs';
import { testFail2ban } from './scenarios/fail2ban.mjs';
import { testFailover } from './scenarios/failover.mjs';
import { testProxies } from './scenarios/proxies.mjs';
import { testRepeats } from './scenarios/repeats.mjs';
import { testRollback } from './scenarios/rollback.mjs';
import { testSizes } from './scenarios/sizes.mjs';
import { testUpgrade } from './scenarios/upgrade.mjs';
import { Skipped } from './skipped.mjs';
import { createTlsCertificate } from './tls.mjs';

const POSTGRES_PROGRAM = 'pg_createcluster';
/** @type {Record<string, { scenario: Function, needs: string[] }>} */
const scenarios = {
  alerts: { scenario: testAlerts, needs: ['promtool'] },
  fail2ban: { scenario: testFail2ban, needs: ['fail2ban-regex'] },
  proxies: { scenario: testProxies, needs: ['nginx', 'caddy', 'haproxy'] },
  repeats: { scenario: testRepeats, needs: ['nginx', 'caddy', 'haproxy'] },
  upgrade: { scenario: testUpgrade, needs: ['nginx', 'caddy', 'haproxy'] },
  rollback: { scenario: testRollback, needs: [POSTGRES_PROGRAM] },
  failover: {
    scenario: testFailover,
    needs: [POSTGRES_PROGRAM, 'haproxy', 'pgbouncer', 'patroni', 'etcd'],
  },
  sizes: { scenario: testSizes, needs: [POSTGRES_PROGRAM] },
  container: { scenario: testContainer, needs: ['podman', 'buildah', 'runc', 'mmdebstrap'] },
};

// Debian's place for servers.
process.env.PATH += ':/usr/sbin:/sbin';
const isInstalled = (program) => spawnSync('which', [program]).status === 0;
const wantedNames = process.argv.slice(2);
const scratch = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-deploy-'));
// Programs that give up root's rights read their configuration there.
await fs.chmod(scratch, 0o755);
await fs.mkdir('node_modules/.cache', { recursive: true });
const cache = await fs.mkdtemp(path.resolve('node_modules/.cache/fieldbell-deploy-'));
const built = path.join(cache, 'dist');
const sink = await startSink(scratch);
const certificate = createTlsCertificate(scratch);

async function run(name) {
  const { scenario, needs } = scenarios[name];
  const missing = needs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    console.log(`skipped ${name}: ${missing.join(', ')} not installed (test/deploy/install.sh)`);
    return 'skipped';
  }
  const folder = path.join(scratch, name);
  await fs.mkdir(folder);
  await fs.chmod(folder, 0o755);
  const cleanUps = [];
  try {
    const summary = await scenario({
      built,
      folder,
      cache,
      certificate,
      sink: sink.forScenario(name),
      environment: { PUSH_ALLOWED_HOSTS: sink.host, NODE_EXTRA_CA_CERTS: sink.certificate },
      /** Runs in any case, last first. */
      cleanUp: (cleanUp) => void cleanUps.unshift(cleanUp),
      seconds: Number(process.env.SECONDS ?? 60),
      devices: Number(process.env.DEVICES ?? 6000),
      async start(environment, from = built) {
        const server = await startProcess(from, {
          PUSH_ALLOWED_HOSTS: sink.host,
          NODE_EXTRA_CA_CERTS: sink.certificate,
          ...environment,
        });
        cleanUps.unshift(() => server.end('SIGKILL'));
        return server;
      },
    });
    console.log(`ok     ${name}: ${summary}`);
    return 'passed';
  } catch (error) {
    if (error instanceof Skipped) {
      console.log(`skipped ${name}: ${error.message}`);
      return 'skipped';
    }
    console.log(`FAILED ${name}: ${error.message}\n${error.stack}`);
    return 'failed';
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

const counts = { passed: 0, failed: 0, skipped: 0 };
try {
  await build({ out: built, quiet: true, env: {} });
  for (const name of Object.keys(scenarios))
    if (wantedNames.length === 0 || wantedNames.includes(name)) counts[await run(name)] += 1;
} finally {
  sink.stop();
  await fs.rm(scratch, { recursive: true, force: true });
  await fs.rm(cache, { recursive: true, force: true });
}
const { passed, failed, skipped } = counts;
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed ? 1 : 0;
