import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { webPush } from '../../../../src/platform/push/web-push';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('web push');
test.before.each(() => fakePush.install('granted'));

const token = async (key: string, renew = false) =>
  webPush.getToken(await navigator.serviceWorker.ready, async () => key, renew);

test('reuses a subscription for this server unless it is due for renewal', async () => {
  const first = await token('BAAB');
  assert.is(await token('BAAB'), first);
  assert.is.not(await token('BAAB', true), first);
});

test('replaces a subscription that was made for another server', async () => {
  const first = await token('BAAB');
  const second = await token('BAAC');
  assert.is.not(second, first);
  assert.is(await token('BAAC'), second);
});

/** A browser whose subscription has this key, with a log of what is done to it. */
function subscribedWith(bytes: Uint8Array<ArrayBuffer>) {
  const did: unknown[] = [];
  const made = (name: string) => ({
    options: { applicationServerKey: bytes.buffer },
    toJSON: () => ({
      expirationTime: 7,
      keys: { auth: `auth ${name}`, more: 'm', p256dh: `p ${name}` },
      endpoint: `https://push.example/${name}`,
    }),
    unsubscribe: async () => void did.push('unsubscribe'),
  });
  const pushManager = {
    getSubscription: async () => made('old'),
    subscribe: async (options: unknown) => (did.push(options), made('new')),
  };
  return { did, registration: { pushManager } as unknown as ServiceWorkerRegistration };
}
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

test('recognizes a server key of any bytes and length', async () => {
  for (const length of [63, 64, 65, 66]) {
    for (const byte of [0x00, 0xfb, 0xff, 0x3e, 0x3f]) {
      const bytes = new Uint8Array(length).fill(byte);
      const { did, registration } = subscribedWith(bytes);
      await webPush.getToken(registration, async () => base64url(bytes), false);
      assert.equal(did, [], `${length} bytes of ${byte}`);
    }
  }
});

test('builds the token from the endpoint and both keys in a fixed order', async () => {
  const bytes = new Uint8Array(65).fill(4);
  const { registration } = subscribedWith(bytes);
  assert.is(
    await webPush.getToken(registration, async () => base64url(bytes), false),
    '{"endpoint":"https://push.example/old","keys":{"p256dh":"p old","auth":"auth old"}}',
  );
});

test('ends the old subscription before creating another for visible notifications', async () => {
  const { did, registration } = subscribedWith(new Uint8Array(65));
  const newToken = await webPush.getToken(registration, async () => 'BAAB', false);
  assert.equal(did, ['unsubscribe', { userVisibleOnly: true, applicationServerKey: 'BAAB' }]);
  assert.match(newToken, 'push.example/new');
});

test.run();
