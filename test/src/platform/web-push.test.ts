import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { webPush } from '../../../src/platform/web-push';
import { pushWorld } from '../../support/push-world';

const test = suite('web push');
test.before.each(() => pushWorld.install('granted'));

/** The token for a server with this key. */
const token = async (key: string, renew = false) => webPush.getToken(await navigator.serviceWorker.ready, async () => key, renew);

test('a subscription that was made for this server is used again, unless it is to be renewed', async () => {
  const first = await token('BAAB');
  assert.is(await token('BAAB'), first);
  assert.is.not(await token('BAAB', true), first);
});

test('one that was made for another server is replaced: its pushes would be refused', async () => {
  const first = await token('BAAB');
  const second = await token('BAAC');
  assert.is.not(second, first);
  assert.is(await token('BAAC'), second);
});

test.run();
