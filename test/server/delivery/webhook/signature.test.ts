import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { generateWebhookSecret, signCall } from '../../../../server/delivery/webhook/signature';

const test = suite('webhook signatures');

test('signs the example of Standard Webhooks like its documentation', () => {
  const call = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  };
  assert.equal(signCall(call, 1_614_265_330_999), {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('creates secrets of whsec_ and 32 random bytes in base64', () => {
  const secrets = Array.from({ length: 50 }, generateWebhookSecret);
  assert.is(new Set(secrets).size, 50);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.is(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
});

test.run();
