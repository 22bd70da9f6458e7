import * as assert from 'uvu/assert';
import { unknownBrowserLimits } from '../../../../server/accounts/sign-in/sign-in-limits';
import { useUpLimit } from '../../../support/server/rate-limits';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('password sign-in, thousands of attempts');
const PASSWORD = 'correct horse battery';

test('lets the right password in from other networks during an attack from 58 networks', async () => {
  await server.createPerson('ADMIN', { username: 'victim', password: PASSWORD });
  for (const [gauge, most] of [
    ['login-account', 100],
    ['login-all', 3000],
  ] as const) {
    const limit = unknownBrowserLimits('victim', '198.18.0.1').find(({ key }) => key[0] === gauge);
    assert.ok(limit);
    await useUpLimit(most - 20, limit, server.services);
  }
  const statuses = new Map<number, number>();
  for (let index = 0; index < 2870; index += 1) {
    const { status } = await server.signIn('victim', 'wrong password', `198.18.${index % 58}.7`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 429 && index > 58 * 6) break; // every network has nothing left
  }
  assert.ok((statuses.get(401) ?? 0) <= 20 + 58 * 4, 'and so few of them are looked at');
  for (const from of ['198.18.99.7', '203.0.113.5', '2001:db8:9::1'])
    assert.is((await server.signIn('victim', PASSWORD, from)).status, 200, from);
});

test.run();
