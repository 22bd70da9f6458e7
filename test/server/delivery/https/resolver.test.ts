import type { LookupAddress } from 'node:dns';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ADDRESS_REJECTED,
  createAddressGuard,
} from '../../../../server/delivery/https/address-guard';
import type { Resolve } from '../../../../server/delivery/https/resolver';
import { parseHosts } from '../../../../server/delivery/https/hosts-file';
import {
  createResolver,
  type ResolverLimits,
  type ResolverSettings,
} from '../../../../server/delivery/https/resolver';
import { eventually } from '../../../support/eventually';
import { startDnsServer } from '../../../support/network/dns-server.mjs';
import { occupyThreads } from '../../../support/delivery/threads';

const test = suite('resolver');

type LookupResult = string[] | string;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let folder: string;
let hostsFile: string;
let clock: number;
/** Enough for a busy machine. Tests that wait for a timeout use HURRIED. */
const RESOLVER_LIMITS: Partial<ResolverLimits> = {
  timeout: 5000,
  retryAfter: 5000,
  otherFamily: 5000,
  uncachedWait: 5000,
};
const SHORT_LIMITS: Partial<ResolverLimits> = { timeout: 30, retryAfter: 20, otherFamily: 10 };
/** Answered on `release`. */
const LATE_RECORD = { a: ['198.51.100.7'], late: true };

const createTestResolver = (limits = RESOLVER_LIMITS, more: ResolverSettings = {}): Resolve =>
  createResolver({
    servers: [dns.address],
    hostsFile,
    now: () => clock,
    systemLookup: neverAsked,
    limits,
    ...more,
  });
const neverAsked: Resolve = () => assert.unreachable('the system was asked');
const lookUp = (resolve: Resolve, name: string): Promise<LookupResult> =>
  new Promise((done) =>
    resolve(name, { all: true }, (error, addresses) =>
      done(error ? (error.code ?? 'error') : addresses.map(({ address }) => address)),
    ),
  );
const timesAsked = (name: string): number =>
  dns.questions.filter((question) => question === `a ${name}`).length;

/** Waits until both questions for a name arrived that often; only then can they be released. */
const heldFor = (name: string, times: number) =>
  eventually(
    () =>
      ['a', 'aaaa'].every(
        (type) =>
          dns.questions.filter((question) => question === `${type} ${name}`).length === times,
      ),
    `${name} to be asked for`,
  );

test.before.each(async () => {
  dns = await startDnsServer();
  folder = mkdtempSync(join(tmpdir(), 'hosts-'));
  hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, '');
  clock = 1_000_000;
});
test.after.each(() => {
  dns.close();
  rmSync(folder, { recursive: true });
});

test('resolves a name in both families, IPv4 first', async () => {
  dns.names.set('push.example', { a: ['198.51.100.7', '198.51.100.8'], aaaa: ['2606:4700::1111'] });
  assert.equal(await lookUp(createTestResolver(), 'Push.Example.'), [
    '198.51.100.7',
    '198.51.100.8',
    '2606:4700::1111',
  ]);
});

test('resolves a CNAME to its addresses', async () => {
  dns.names.set('push.example', { cname: 'real.example' });
  dns.names.set('real.example', { a: ['198.51.100.7'] });
  assert.equal(await lookUp(createTestResolver(), 'push.example'), ['198.51.100.7']);
});

test('resolves a name with IPv6 addresses only', async () => {
  dns.names.set('six.example', { aaaa: ['2606:4700::1111'] });
  assert.equal(await lookUp(createTestResolver(), 'six.example'), ['2606:4700::1111']);
});

test('keeps a name when the server fails for one family', async () => {
  dns.names.set('push.example', { a: ['198.51.100.7'] });
  const resolve = createTestResolver({ ...RESOLVER_LIMITS, retryAfter: 100 });
  await lookUp(resolve, 'push.example');
  for (const failing of ['a', 'aaaa'] as const) {
    dns.names.set('push.example', { failing });
    clock += 61_000;
    assert.equal(await lookUp(resolve, 'push.example'), ['198.51.100.7'], failing);
  }
  dns.names.set('push.example', {});
  clock += 61_000;
  assert.is(await lookUp(resolve, 'push.example'), 'ENOTFOUND');
});

test("waits briefly for a client's own name, and uses its late response next time", async () => {
  dns.names.set('late.example', LATE_RECORD);
  const resolve = createTestResolver({ ...RESOLVER_LIMITS, uncachedWait: 10 });
  assert.is(await lookUp(resolve, 'late.example'), 'ETIMEOUT');
  assert.is(await lookUp(resolve, 'late.example'), 'ETIMEOUT');
  await heldFor('late.example', 1);
  dns.release();
  await eventually(
    async () => (await lookUp(resolve, 'late.example')).toString() === '198.51.100.7',
    'the answer that came',
  );
  assert.is(timesAsked('late.example'), 1);
});

test('fetches a DNS response by TCP that is too large for UDP', async () => {
  dns.names.set('large.example', { a: ['198.51.100.7'], truncated: true });
  assert.equal(await lookUp(createTestResolver(), 'large.example'), ['198.51.100.7']);
});

for (const kind of ['silent', 'wrong-id'] as const) {
  test(`waits for a name server that is ${kind} no longer than the limit`, async () => {
    dns.names.set('bad.example', { kind });
    assert.is(await lookUp(createTestResolver(SHORT_LIMITS), 'bad.example'), 'ETIMEOUT');
  });
}

test('resolves nothing from a garbage DNS response', async () => {
  dns.names.set('bad.example', { kind: 'garbage' });
  assert.type(await lookUp(createTestResolver(SHORT_LIMITS), 'bad.example'), 'string');
});

test('resolves nothing for an invalid name', async () => {
  for (const name of [
    '',
    '.',
    'a..b',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(200)}example`,
    'with space.example',
    'nul\0.example',
  ]) {
    assert.type(
      await lookUp(createTestResolver(SHORT_LIMITS), name),
      'string',
      JSON.stringify(name),
    );
  }
});

test('resolves other names while some DNS lookups hang, without threads', async () => {
  const threads = occupyThreads();
  dns.names.set('good.example', { a: ['198.51.100.7'] });
  const resolve = createTestResolver();
  const silent = Array.from({ length: 60 }, (_, index) => `silent-${index}.example-${index}`);
  for (const name of silent) dns.names.set(name, LATE_RECORD);
  const ended: string[] = [];
  const asking = silent.map((name) => lookUp(resolve, name).then(() => ended.push(name)));
  assert.equal(await lookUp(resolve, 'good.example'), ['198.51.100.7']);
  assert.equal(ended, []);
  for (const name of silent) dns.names.set(name, { a: ['198.51.100.7'] });
  dns.release();
  await Promise.all(asking);
  const countBefore = threads.countBlockedThreads();
  await threads.releaseThreads();
  assert.is(countBefore, 0);
});

test('sends one question per family for parallel requests of a name', async () => {
  dns.names.set('push.example', { a: ['198.51.100.7'], late: true });
  const resolve = createTestResolver();
  const asking = Array.from({ length: 50 }, () => lookUp(resolve, 'push.example'));
  await eventually(() => dns.questions.length === 2, 'both questions');
  dns.release();
  assert.equal(new Set((await Promise.all(asking)).map(String)), new Set(['198.51.100.7']));
  assert.equal(dns.questions.toSorted(), ['a push.example', 'aaaa push.example']);
});

for (const [ttl, kept] of [
  [60, 60],
  [0, 10],
  [86_400, 300],
] as const) {
  test(`keeps a DNS response with a TTL of ${ttl} s for ${kept} s`, async () => {
    dns.names.set('push.example', { a: ['198.51.100.7'], ttl });
    const resolve = createTestResolver();
    await lookUp(resolve, 'push.example');
    clock += kept * 1000 - 1;
    await lookUp(resolve, 'push.example');
    assert.is(timesAsked('push.example'), 1);
    clock += 1;
    dns.names.set('push.example', { a: ['198.51.100.8'] });
    assert.equal(await lookUp(resolve, 'push.example'), ['198.51.100.8']);
    assert.is(timesAsked('push.example'), 2);
  });
}

for (const [kind, code, kept] of [
  ['absent', 'ENOTFOUND', 30],
  ['failing', 'ESERVFAIL', 5],
] as const) {
  test(`asks again after ${kept} s for a name whose server says ${kind}`, async () => {
    dns.names.set('gone.example', { kind });
    const resolve = createTestResolver({ ...RESOLVER_LIMITS, retryAfter: 100 });
    assert.is(await lookUp(resolve, 'gone.example'), code);
    const before = timesAsked('gone.example');
    clock += kept * 1000 - 1;
    assert.is(await lookUp(resolve, 'gone.example'), code);
    assert.is(timesAsked('gone.example'), before);
    clock += 1;
    dns.names.set('gone.example', { a: ['198.51.100.7'] });
    assert.equal(await lookUp(resolve, 'gone.example'), ['198.51.100.7']);
  });
}

test('uses old addresses for an hour without a DNS response, but not when the name is gone', async () => {
  dns.names.set('push.example', { a: ['198.51.100.7'] });
  const resolve = createTestResolver({ ...RESOLVER_LIMITS, retryAfter: 100 });
  await lookUp(resolve, 'push.example');
  dns.names.set('push.example', { kind: 'failing' });
  clock += 61_000;
  assert.equal(await lookUp(resolve, 'push.example'), ['198.51.100.7']);
  const times = timesAsked('push.example');
  clock += 4999;
  assert.equal(await lookUp(resolve, 'push.example'), ['198.51.100.7']);
  assert.is(timesAsked('push.example'), times, 'who failed just now is not asked at each push');
  clock += 3_500_000;
  assert.equal(await lookUp(resolve, 'push.example'), ['198.51.100.7']);
  clock += 3_600_000;
  assert.is(await lookUp(resolve, 'push.example'), 'ESERVFAIL');

  dns.names.set('moved.example', { a: ['198.51.100.7'] });
  await lookUp(resolve, 'moved.example');
  dns.names.delete('moved.example');
  clock += 61_000;
  const expectedLookups = timesAsked('moved.example') + 1;
  for (let push = 0; push < 2; push += 1)
    assert.is(await lookUp(resolve, 'moved.example'), 'ENOTFOUND');
  assert.is(
    timesAsked('moved.example'),
    expectedLookups,
    'a name that is gone is not asked for at each push',
  );
});

test('reads the hosts file without DNS, and again when it changes', async () => {
  writeFileSync(hostsFile, '10.1.2.3  Push.Internal alias # comment\n');
  const resolve = createTestResolver();
  assert.equal(await lookUp(resolve, 'push.internal'), ['10.1.2.3']);
  writeFileSync(hostsFile, '10.1.2.4 push.internal\nfd00::4 push.internal\n');
  utimesSync(hostsFile, 1, 1);
  clock += 5000;
  assert.equal(await lookUp(resolve, 'push.internal'), ['10.1.2.4', 'fd00::4']);
  rmSync(hostsFile);
  clock += 5000;
  assert.is(await lookUp(resolve, 'push.internal'), 'ENOTFOUND');
  assert.is(timesAsked('push.internal'), 1);
});

test('resolves localhost and its subdomains to this machine', async () => {
  dns.names.set('localhost', { a: ['198.51.100.7'] });
  const resolve = createTestResolver();
  for (const name of ['localhost', 'push.localhost', 'LOCALHOST.'])
    assert.equal(await lookUp(resolve, name), ['127.0.0.1', '::1']);
  assert.equal(dns.questions, []);
});

test('parses a hosts file like the system', () => {
  const hosts = parseHosts(
    '# all\n\n127.0.0.1\tlocalhost  vm # me\n::1 localhost\nno-address name\n 10.0.0.1 a.\r\n',
  );
  assert.equal(
    [...hosts].map(([name, found]) => [name, found.map(({ address }) => address)]),
    [
      ['localhost', ['127.0.0.1', '::1']],
      ['vm', ['127.0.0.1']],
      ['a', ['10.0.0.1']],
    ],
  );
});

test('checks each address at every connection, cached or new', async () => {
  const resolve = createTestResolver();
  const guard = createAddressGuard(['push.internal'], resolve);
  const connectTo = (host: string): Promise<LookupResult> =>
    new Promise((done) =>
      guard.lookupFor(new URL(`https://${host}/`))(host, { all: true }, (error, found) =>
        done(
          error
            ? (error.code ?? 'error')
            : (found as LookupAddress[]).map(({ address }) => address),
        ),
      ),
    );
  dns.names.set('rebind.example', { a: ['8.8.8.8'], ttl: 10 });
  assert.equal(await connectTo('rebind.example'), ['8.8.8.8']);
  dns.names.set('rebind.example', {
    a: ['127.0.0.1', '10.0.0.1'],
    aaaa: ['::1', '::ffff:10.0.0.1'],
    ttl: 10,
  });
  clock += 10_000;
  assert.is(await connectTo('rebind.example'), ADDRESS_REJECTED);
  assert.is(await connectTo('rebind.example'), ADDRESS_REJECTED);
  dns.names.set('mixed.example', { a: ['192.168.0.1', '8.8.4.4'] });
  for (const _ of [1, 2]) assert.equal(await connectTo('mixed.example'), ['8.8.4.4']);
  assert.is(await connectTo('localhost'), ADDRESS_REJECTED);
  writeFileSync(hostsFile, '10.1.2.3 push.internal hidden.example\n');
  utimesSync(hostsFile, 1, 1);
  clock += 5000;
  assert.is(await connectTo('hidden.example'), ADDRESS_REJECTED);
  assert.equal(await connectTo('push.internal'), ['10.1.2.3']);
});

test.run();
