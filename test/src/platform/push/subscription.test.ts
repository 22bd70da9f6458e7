import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forgetSubscription } from '../../../../src/platform/push/subscription';

const test = suite('push subscription');
test.after.each(() => void Reflect.deleteProperty(navigator, 'serviceWorker'));

function fakeSubscription(unsubscribe: () => Promise<boolean>): void {
  const registration = {
    getNotifications: async () => [],
    pushManager: { getSubscription: async () => ({ unsubscribe }) },
  };
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { getRegistration: async () => registration },
  });
}

test('counts a subscription as removed once the browser has ended it', async () => {
  let end = (): void => {};
  fakeSubscription(() => new Promise((resolve) => (end = () => resolve(true))));
  let isForgotten = false;
  const forgetting = forgetSubscription().then(() => (isForgotten = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(isForgotten, false);
  end();
  await forgetting;
});

test('reports a subscription that cannot be ended', async () => {
  fakeSubscription(() => Promise.reject(new Error('The push service is away.')));
  const why = await forgetSubscription().catch((error: Error) => error.message);
  assert.is(why, 'The push service is away.');
});

test.run();
