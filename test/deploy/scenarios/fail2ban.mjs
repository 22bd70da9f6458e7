import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a wrong password looks like in the log, from each kind of address. */
const LOGGED_NETWORKS = { '203.0.113.9': '203.0.113.9', '2001:db8:0:7::12': '2001:db8:0:7::/64' };

/** fail2ban finds wrong passwords by the filter of logs.md, over IPv4 and IPv6. */
export async function testFail2ban({ folder, start }) {
  const server = await start({
    DATA_DIR: path.join(folder, 'data'),
    TRUSTED_PROXIES: '127.0.0.1,::1',
  });
  for (const address of Object.keys(LOGGED_NETWORKS))
    await fetch(`${server.address}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify({ username: 'admin', password: 'wrong' }),
    });
  await server.end('SIGTERM');
  const [log, filter] = [path.join(folder, 'log'), path.join(folder, 'fieldbell.conf')];
  writeFileSync(log, server.output());
  const [, failregex] = /```\n(failregex = .+)\n```/.exec(
    readFileSync('server/deploy/logs.md', 'utf8'),
  ) ?? ['', 'missing'];
  writeFileSync(filter, `[Definition]\n${failregex}\n`);
  const programArguments = ['--print-all-matched', '--out', 'id', log, filter];
  const { stdout, stderr } = spawnSync('fail2ban-regex', programArguments, { encoding: 'utf8' });
  assert.deepEqual(stdout.trim().split('\n'), Object.values(LOGGED_NETWORKS), stderr);
  return `found ${Object.values(LOGGED_NETWORKS).join(' and ')} in the log of wrong passwords`;
}
