import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, openServerDatabase } from '../../abuse/people.mjs';
import { ABUSE_ADMIN, signIn } from '../../abuse/process.mjs';
import { freePort } from '../../support/port.mjs';

/** Replaces the base in server/deploy/Dockerfile, which only a registry has. */
const BASE = 'localhost/node';
const IMAGE = 'localhost/fieldbell';

/**
 * The image, on a base of Debian's packages, runs without root on a read-only root: it serves,
 * sends, is healthy, stops in time and keeps its data.
 */
export async function testContainer({ folder, sink, environment, cleanUp }) {
  // crun of Debian 12 rejects cgroups in hybrid mode.
  const podman = ['--root', `${folder}/store`, '--runroot', `${folder}/run`, '--runtime', 'runc'];
  const runPodman = (...podmanArguments) =>
    execFileSync('podman', [...podman, ...podmanArguments], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  cleanUp(() => {
    spawnSync('podman', [...podman, 'rm', '-fa']);
    spawnSync('podman', [...podman, 'rmi', '-fa']);
    spawnSync('umount', ['--lazy', `${folder}/store/overlay`]);
  });
  const startedAt = performance.now();
  await createBase(folder, runPodman);
  const baseBuiltAt = performance.now();
  await buildImage(folder, runPodman);
  const seconds = (since) => ((performance.now() - since) / 1000).toFixed();
  const buildTimes = `base ${((baseBuiltAt - startedAt) / 1000).toFixed()} s, image ${seconds(baseBuiltAt)} s`;
  const size = Number(runPodman('image', 'inspect', '--format', '{{.Size}}', IMAGE)) / 1e6;

  const data = path.join(folder, 'data');
  await fs.mkdir(data);
  await fs.chown(data, 1000, 1000);
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const settings = Object.entries({
    ...{ PORT: port, HOST: '127.0.0.1', ADMIN_PASSWORD: ABUSE_ADMIN.password, TMPDIR: '/tmp' },
    PUSH_ALLOWED_HOSTS: environment.PUSH_ALLOWED_HOSTS,
    NODE_EXTRA_CA_CERTS: '/sink.pem',
  }).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  runPodman(
    ...['run', '-d', '--name', 'fieldbell', '--network=host', '--read-only', '--cap-drop', 'all'],
    ...['--security-opt', 'no-new-privileges', '-m', '512m', '--pids-limit', '100'],
    // Its default is more than root may have here.
    ...['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=20000:20000'],
    ...['-v', `${data}:/data`, '-v', `${environment.NODE_EXTRA_CA_CERTS}:/sink.pem:ro`],
    ...settings,
    IMAGE,
  );
  await waitForHealth(address);
  runPodman('healthcheck', 'run', 'fieldbell');
  const evaluateInContainer = (script) => runPodman('exec', 'fieldbell', 'node', '-p', script);
  assert.equal(evaluateInContainer('process.getuid()'), '1000');
  const rejection = `try { fs.writeFileSync('PLACE', ''); 'written' } catch ({ code }) { code }`;
  for (const place of ['/x', '/srv/x', '/srv/dist/server/main.js'])
    assert.match(evaluateInContainer(rejection.replace('PLACE', place)), /^(EROFS|EACCES)$/, place);

  const call = await signIn(address);
  const topic = await call('POST', '/admin/topics', { title: 'Outages', description: 'All' });
  const database = await openServerDatabase({ DATA_DIR: data });
  await addSubscribers(database, topic.id, 10, sink.origin);
  await database.close();
  await call('POST', `/admin/notifications/send-topic/${topic.id}`, { message: 'From within' });
  while ((await sink.countPushes()).devices < 10) await wait(20); // the sink is another process
  const page = await fetch(address);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);

  const stopStartedAt = performance.now();
  runPodman('stop', '-t', '20', 'fieldbell');
  const stopTime = `${seconds(stopStartedAt)} s`;
  assert.equal(runPodman('inspect', '--format', '{{.State.ExitCode}}', 'fieldbell'), '0');
  runPodman('start', 'fieldbell');
  await waitForHealth(address);
  const callAfterRestart = await signIn(address);
  assert.equal((await callAfterRestart('GET', '/admin/topics')).topics.length, 1);
  runPodman('stop', '-t', '20', 'fieldbell');
  return `${buildTimes}, ${size.toFixed()} MB; as user 1000 on a root that only reads: healthy, served, sent, stopped in ${stopTime}, kept its data`;
}

async function waitForHealth(address) {
  for (let tries = 0; ; tries += 1) {
    const response = await fetch(`${address}/api/health`).catch(() => undefined);
    if (response?.ok) return;
    assert.ok(tries < 300, `health: ${response?.status}`);
    await wait(100); // nothing else shows that it is there
  }
}

/** Debian's packages with this machine's Node and npm. */
async function createBase(folder, runPodman) {
  const tar = `${folder}/base.tar`;
  const root = `${folder}/root`;
  const included = '--include=ca-certificates,libstdc++6';
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', included, 'bookworm', tar], {
    stdio: 'pipe',
  });
  await fs.mkdir(root);
  execFileSync('tar', ['-xf', tar, '-C', root]);
  await fs.rm(tar);
  await fs.copyFile(process.execPath, `${root}/usr/bin/node`);
  const npm = execFileSync('npm', ['root', '-g'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  await fs.cp(`${npm}/npm`, `${root}/usr/lib/node_modules/npm`, { recursive: true });
  await fs.symlink('../lib/node_modules/npm/bin/npm-cli.js', `${root}/usr/bin/npm`);
  execFileSync('tar', ['-cf', tar, '-C', root, '.']);
  await fs.rm(root, { recursive: true });
  runPodman('import', tar, BASE);
  await fs.rm(tar);
}

/** Builds what is committed, with packages from npm's cache here. */
async function buildImage(folder, runPodman) {
  const context = `${folder}/context`;
  await fs.mkdir(context);
  const archive = execFileSync('git', ['archive', 'HEAD'], { maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', context], { input: archive });
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  await fs.writeFile(`${folder}/npmrc`, 'prefer-offline=true\n');
  runPodman(
    ...['build', '--format', 'docker', '--isolation=chroot', '--network=host', '--pull=never'],
    ...['-v', `${cache}:/root/.npm`, '-v', `${folder}/npmrc:/root/.npmrc:ro`],
    ...['--ignorefile', `${context}/server/deploy/Dockerfile.dockerignore`],
    ...['--build-arg', `NODE_IMAGE=${BASE}`],
    ...['-f', `${context}/server/deploy/Dockerfile`, '-t', IMAGE, context],
  );
}
