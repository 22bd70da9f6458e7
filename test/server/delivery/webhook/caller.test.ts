import tls from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Resolve } from '../../../../server/delivery/https/resolver';
import { createWebhookCaller } from '../../../../server/delivery/webhook/caller';

const test = suite('allowed webhook addresses');

/** The fault of an address whose name has these addresses; none means that DNS does not know it. */
async function faultOfAddresses(...addresses: string[]): Promise<string | undefined> {
  const resolve: Resolve = (_name, _options, done) =>
    addresses.length > 0
      ? done(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        )
      : done(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []);
  const caller = createWebhookCaller({ allowedHosts: [], now: Date.now, resolve });
  try {
    return await caller.findAddressFault(new URL('https://ops.example/bell'));
  } finally {
    caller.close();
  }
}

test('allows a name that does not resolve now or has one public address', async () => {
  assert.is(await faultOfAddresses(), undefined);
  assert.is(await faultOfAddresses('9.9.9.9'), undefined);
  assert.is(await faultOfAddresses('10.0.0.1', '9.9.9.9'), undefined);
});

test('rejects a name with private addresses only', async () => {
  assert.is(await faultOfAddresses('10.0.0.1'), 'endpoint-address');
  assert.is(await faultOfAddresses('127.0.0.1', '192.168.1.1'), 'endpoint-address');
});

test("offers only HTTP/1.1 to a webhook, even at a push service's name", async () => {
  const { connect } = tls;
  const offered: unknown[] = [];
  tls.connect = ((options: tls.ConnectionOptions) => {
    offered.push(options.ALPNProtocols);
    return connect({ ...options, host: '127.0.0.1', port: 9 });
  }) as typeof connect;
  const caller = createWebhookCaller({ allowedHosts: ['fcm.googleapis.com'], now: Date.now });
  try {
    const webhook = { url: 'https://fcm.googleapis.com/bell', secret: 'whsec_' };
    const { kind } = await caller.call(webhook, { id: 'a-call', body: '{}' });
    assert.equal([kind, offered], ['unreachable', [['http/1.1']]]);
  } finally {
    caller.close();
    tls.connect = connect;
  }
});

test.run();
