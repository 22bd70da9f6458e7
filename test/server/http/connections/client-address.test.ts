import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockList } from 'node:net';
import {
  rateLimitAddress,
  clientAddress,
} from '../../../../server/http/connections/client-address';
import { createServer } from '../../../support/server/server';

const test = suite('client addresses');

const proxies = new BlockList();
proxies.addSubnet('10.0.0.0', 8, 'ipv4');
proxies.addAddress('2001:db8::1', 'ipv6');

test('trusts a forwarded address only from our proxies', () => {
  assert.is(clientAddress('198.51.100.7', '203.0.113.5', proxies), '198.51.100.7');
  assert.is(clientAddress('10.1.2.3', '203.0.113.5', proxies), '203.0.113.5');
  assert.is(clientAddress('::ffff:10.1.2.3', '203.0.113.5', proxies), '203.0.113.5');
  assert.is(clientAddress('2001:db8::1', '203.0.113.5', proxies), '203.0.113.5');
});

test('ignores addresses that the client wrote into X-Forwarded-For', () => {
  assert.is(clientAddress('10.1.2.3', '1.1.1.1, 203.0.113.5', proxies), '203.0.113.5');
  assert.is(clientAddress('10.1.2.3', '1.1.1.1, 203.0.113.5, 10.9.9.9', proxies), '203.0.113.5');
  assert.is(clientAddress('10.1.2.3', '203.0.113.5, nonsense', proxies), '10.1.2.3');
  assert.is(clientAddress('10.1.2.3', undefined, proxies), '10.1.2.3');
});

test('strips a port that a proxy adds', () => {
  assert.is(clientAddress('10.1.2.3', '203.0.113.5:4711', proxies), '203.0.113.5');
  assert.is(clientAddress('10.1.2.3', '[2001:db8::7]:4711', proxies), '2001:db8::7');
  assert.is(clientAddress('10.1.2.3', '203.0.113.5, 10.9.9.9:80', proxies), '203.0.113.5');
  assert.is(clientAddress('10.1.2.3', '2001:db8::7', proxies), '2001:db8::7');
});

test('treats an IPv6 network as one address', () => {
  assert.is(rateLimitAddress('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.is(rateLimitAddress('2001:0db8:1:2::1'), '2001:db8:1:2::/64');
  assert.is(rateLimitAddress('::1'), '0:0:0:0::/64');
  assert.is(rateLimitAddress('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.is(rateLimitAddress('192.0.2.1'), '192.0.2.1');
});

test('counts people behind a proxy separately, and ignores forged addresses', async () => {
  const server = await createServer({ environment: { TRUSTED_PROXIES: '10.0.0.0/8' } });
  const attempt = async (from: string, forwarded: string): Promise<number> => {
    const options = {
      body: { username: 'ana', password: 'wrong password' },
      from,
      headers: { 'X-Forwarded-For': forwarded },
    };
    return (await server.call('POST /api/auth/login', options)).status;
  };
  await Promise.all(
    Array.from({ length: 10 }, (_, index) => attempt('198.51.100.7', `203.0.113.${index}`)),
  );
  assert.is(await attempt('198.51.100.7', '203.0.113.99'), 429);
  assert.is(await attempt('10.0.0.1', '203.0.113.99'), 401);
  assert.is(await attempt('10.0.0.1', '198.51.100.7'), 429);
  await server.close();
});

test('logs an untrusted proxy once', async () => {
  const server = await createServer({ environment: { TRUSTED_PROXIES: '10.0.0.1' } });
  for (const from of ['10.0.0.1', '10.0.0.2', '10.0.0.2'])
    await server.request('/api/health', { headers: { 'X-Forwarded-For': '203.0.113.5' } }, from);
  const lines = server.log.filter((line) => line.includes('untrusted proxy'));
  assert.equal(
    lines.map((line) => (JSON.parse(line) as { proxy: string }).proxy),
    ['10.0.0.2'],
  );
  await server.close();
});

test.run();
