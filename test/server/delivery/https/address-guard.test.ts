import type { LookupAddress } from 'node:dns';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ADDRESS_REJECTED,
  createAddressGuard,
  isPublicAddress,
} from '../../../../server/delivery/https/address-guard';
import type { Resolve } from '../../../../server/delivery/https/resolver';

const test = suite('address guard');

const resolveTo =
  (...addresses: string[]): Resolve =>
  (_, __, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

function fault(endpoint: string, allowed: string[] = []): string | undefined {
  return createAddressGuard(allowed).findFault(new URL(endpoint));
}

/** The addresses for a connection to the URL, or the code of the rejection. */
function resolve(
  endpoint: string,
  resolver: Resolve,
  allowed: string[] = [],
): Promise<string[] | string> {
  const lookup = createAddressGuard(allowed, resolver).lookupFor(new URL(endpoint));
  return new Promise((done) =>
    lookup(new URL(endpoint).hostname, { all: true }, (error, found) =>
      done(
        error ? (error.code ?? 'error') : (found as LookupAddress[]).map(({ address }) => address),
      ),
    ),
  );
}

const privateAddresses = {
  'this network': '0.0.0.0',
  'private, class A': '10.1.2.3',
  'carrier-grade NAT': '100.64.0.1',
  loopback: '127.0.0.1',
  'loopback, any of it': '127.255.255.254',
  'link-local, a cloud’s metadata': '169.254.169.254',
  'private, class B': '172.16.0.1',
  'end of private, class B': '172.31.255.255',
  'protocol assignments': '192.0.0.8',
  documentation: '192.0.2.1',
  'private, class C': '192.168.1.1',
  benchmarking: '198.18.0.1',
  multicast: '224.0.0.1',
  broadcast: '255.255.255.255',
  'IPv6 unspecified': '::',
  'IPv6 loopback': '::1',
  'IPv4-mapped loopback': '::ffff:127.0.0.1',
  'IPv4-mapped private, in hexadecimal': '::ffff:a00:1',
  'IPv4-compatible': '::10.0.0.1',
  'NAT64 of loopback': '64:ff9b::7f00:1',
  'NAT64, local use': '64:ff9b:1::1',
  'IPv6 unique local': 'fd12:3456::1',
  'IPv6 link-local': 'fe80::1',
  'IPv6 multicast': 'ff02::1',
  'IPv6 documentation': '2001:db8::1',
  Teredo: '2001:0:1::1',
  '6to4 of a private address': '2002:a00:1::1',
  'no address at all': 'nonsense',
};
for (const [name, address] of Object.entries(privateAddresses)) {
  test(`rejects ${name} (${address}), both in the endpoint and resolved`, async () => {
    assert.not(isPublicAddress(address));
    assert.is(await resolve('https://rebind.example/x', resolveTo(address)), ADDRESS_REJECTED);
    const literal = `https://${address.includes(':') ? `[${address}]` : address}/x`;
    if (name !== 'no address at all') assert.is(fault(literal), 'endpoint-address');
  });
}

for (const address of [
  '8.8.8.8',
  '100.63.255.255',
  '172.32.0.1',
  '192.169.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
]) {
  test(`allows the public address ${address}`, async () => {
    assert.ok(isPublicAddress(address));
    assert.equal(await resolve('https://push.example/x', resolveTo(address)), [address]);
  });
}

for (const disguised of [
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://[::ffff:7f00:1]/',
]) {
  test(`recognizes loopback written as ${disguised}`, () => {
    assert.is(fault(disguised), 'endpoint-address');
  });
}

test('connects only to the public ones of several addresses', async () => {
  assert.equal(await resolve('https://mixed.example/', resolveTo('10.0.0.1', '8.8.8.8', '::1')), [
    '8.8.8.8',
  ]);
});

test('accepts only https without userinfo on the standard port', () => {
  assert.is(fault('https://push.example/x'), undefined);
  assert.is(fault('https://push.example:443/x'), undefined);
  assert.is(fault('http://push.example/x'), 'endpoint-not-https');
  assert.is(fault('ftp://push.example/x'), 'endpoint-not-https');
  assert.is(fault('https://me:secret@push.example/x'), 'endpoint-with-userinfo');
  assert.is(fault('https://push.example:8443/x'), 'endpoint-port');
});

test('allows a listed host on any port and privately, a listed port on that port only', async () => {
  assert.is(fault('https://push.internal:8443/', ['push.internal']), undefined);
  assert.equal(
    await resolve('https://push.internal:8443/', resolveTo('10.0.0.1'), ['push.internal']),
    ['10.0.0.1'],
  );
  assert.is(fault('https://localhost:8443/', ['localhost:8443']), undefined);
  assert.is(fault('https://localhost:9999/', ['localhost:8443']), 'endpoint-port');
  assert.is(
    await resolve('https://localhost/', resolveTo('127.0.0.1'), ['localhost:8443']),
    ADDRESS_REJECTED,
  );
  assert.is(fault('http://push.internal/', ['push.internal']), 'endpoint-not-https');
  assert.is(fault('https://sub.push.internal:8443/', ['push.internal']), 'endpoint-port');
});

test('reports an unresolvable name as such, not as forbidden', async () => {
  const missing: Resolve = (_, __, done) =>
    done(Object.assign(new Error(), { code: 'ENOTFOUND' }), []);
  assert.is(await resolve('https://gone.example/', missing), 'ENOTFOUND');
});

test.run();
