import * as assert from 'uvu/assert';
import { runCommand } from '../../../../server/cli/commands';
import { useUpLimit } from '../../../support/server/rate-limits';
import { authenticatorCode, addAuthenticatorApp } from '../../../support/server/two-factor';
import { serverSuite } from '../../../support/server/server';
import type { Person } from '../../../support/server/server';

const { test, server } = serverSuite('second factors of several people', {
  environment: { ADMIN_TOTP: 'optional' },
});
const PASSWORD = 'correct horse battery';
const MINUTE_MS = 60_000;
type App = Awaited<ReturnType<typeof addAuthenticatorApp>>;
let [ada, ben]: Person[] = [];
let [adas, bens]: App[] = [];
test.before.each(async () => {
  ada = await server.createPerson('ADMIN', { username: 'ada', password: PASSWORD });
  ben = await server.createPerson('ADMIN', { username: 'ben', password: PASSWORD });
  adas = await addAuthenticatorApp(ada, server.services);
  bens = await addAuthenticatorApp(ben, server.services);
});

async function startChallenge(username: string, password = PASSWORD): Promise<string> {
  const response = await server.request('/api/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return ((await response.json()) as { challenge?: string }).challenge ?? '';
}
const sendCode = async (username: string, code: string, clientToken?: string, password?: string) =>
  server.call('POST /api/auth/second-factor', {
    body: {
      challenge: await startChallenge(username, password),
      code,
      ...(clientToken !== undefined && { clientToken }),
    },
  });
const now = (app: App): string => authenticatorCode(app.secret, server.clock.now);
const state = async (as: Person) =>
  (await server.call('GET /api/account/second-factor', { as })).body;
const renewRecoveryCodes = (as: Person, code: string) =>
  server.call('POST /api/account/second-factor/recovery-codes', { as, body: { code } });
const switchOff = (as: Person, code: string) =>
  server.call('DELETE /api/account/second-factor', { as, body: { code } });

test('accepts a code each from two people in the same half minute', async () => {
  for (const [username, app] of [
    ['ben', bens],
    ['ada', adas],
  ] as const) {
    const { status, body } = await sendCode(username, now(app));
    assert.equal([status, body.user?.username], [200, username]);
  }
});

test('changes nothing for others when one uses, renews or switches off codes', async () => {
  const spare = await server.createPerson('ADMIN', { username: 'spare', password: PASSWORD });
  assert.is((await sendCode('ben', bens.codes[0] ?? '')).status, 200);
  assert.equal(
    [await state(ada), await state(ben), await state(spare)].map(({ isOn, recoveryCodesLeft }) => [
      isOn,
      recoveryCodesLeft,
    ]),
    [
      [true, 10],
      [true, 9],
      [false, 0],
    ],
  );
  const renewedResponse = await renewRecoveryCodes(ben, bens.codes[1] ?? '');
  assert.equal(
    [(await state(ben)).recoveryCodesLeft, (await state(ada)).recoveryCodesLeft],
    [10, 10],
  );
  assert.is((await switchOff(ben, renewedResponse.body.recoveryCodes[0] ?? '')).status, 200);
  assert.equal([(await state(ben)).isOn, (await state(ada)).isOn], [false, true]);
  const { db } = server.services;
  const rows = await db.selectFrom('recovery_codes').select('user_id').execute();
  assert.equal([...new Set(rows.map(({ user_id }) => user_id))], [ada.id]);
  assert.is((await sendCode('ada', adas.codes[0] ?? '')).status, 200);
  for (const username of ['ben', 'spare'])
    assert.is(await startChallenge(username), '', `${username} is asked for nothing`);
});

test('counts wrong codes per person', async () => {
  for (let time = 0; time < 5; time += 1) assert.is((await sendCode('ben', '000000')).status, 400);
  assert.is((await sendCode('ben', now(bens))).status, 429);
  assert.is((await sendCode('ada', now(adas))).status, 200);
});

test("gives a known browser its own attempts, and a new set after an operator's reset", async () => {
  const [first = '', second = ''] = adas.codes;
  const clientToken = (await sendCode('ada', first)).body.clientToken ?? '';
  for (let time = 0; time < 5; time += 1) assert.is((await sendCode('ada', '000000')).status, 400);
  assert.is((await sendCode('ada', now(adas))).status, 429);
  assert.is((await sendCode('ada', second, clientToken)).status, 200);
  for (let time = 0; time < 5; time += 1)
    assert.is((await sendCode('ada', '000000', clientToken)).status, 400);
  assert.is(
    (await sendCode('ada', now(adas), clientToken)).status,
    429,
    'guesses are counted there, too',
  );
  const { output } = await runCommand(['reset-password', 'ada'], server.services.config);
  const password = /Password: (\S+)/.exec(output)?.[1] ?? '';
  assert.is((await sendCode('ada', now(adas), undefined, password)).status, 200);
});

test('counts wrong codes for switching off and renewing together, five in 15 minutes', async () => {
  for (const [ask, times] of [
    [switchOff, 3],
    [renewRecoveryCodes, 2],
  ] as const)
    for (let time = 0; time < times; time += 1) assert.is((await ask(ada, '000000')).status, 400);
  const { status, error, headers } = await switchOff(ada, now(adas));
  assert.equal([status, error], [429, 'Too many codes were tried.']);
  assert.ok(Number(headers.get('Retry-After')) > 0);
  assert.is((await state(ada)).isOn, true);
  server.clock.now += 15 * MINUTE_MS;
  assert.is((await switchOff(ada, now(adas))).status, 200);
});

test('allows forty codes a day, however slowly they come', async () => {
  const limit = { max: 40, windowMs: 24 * 60 * MINUTE_MS };
  const key = ['second-factor-day', String(ada.id), 'sign-in'];
  await useUpLimit(39, { key, ...limit }, server.services);
  assert.is((await sendCode('ada', '000000')).status, 400);
  assert.is((await sendCode('ada', now(adas))).status, 429);
  assert.is((await sendCode('ben', now(bens))).status, 200);
});

test.run();
