import type { KyselyPlugin } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { claimDue } from '../../../../server/db/outbox/claims';
import { nextTurn } from '../../../../server/lib/loop';
import { createStillWanted } from '../../../../server/delivery/queue/still-wanted';
import { eventually } from '../../../support/eventually';
import { makeOutbox, type Outbox } from '../../../support/delivery/outbox';
import { countQueries } from '../../../support/database/query-count';

const test = suite('whether somebody still waits, just before a push leaves');
const START = Date.parse('2026-11-21T09:30:00Z');
let outbox: Outbox;
test.before.each(async () => {
  outbox = await makeOutbox();
});
test.after.each(() => outbox.close());

async function claimAll(devices: number) {
  await outbox.addDevices(Array.from({ length: devices }, (_, index) => `token ${index}`));
  await outbox.send({ now: START });
  const from = [{ service: 0, limit: devices }];
  return claimDue(outbox.db, outbox.engine, { now: START, lease: 30_000, from });
}

test('an answer is believed for a quarter of a second, and pushes that begin together ask together, again and again', async () => {
  const claims = await claimAll(30);
  const { plugin, asked } = countQueries();
  let elapsed = 1250;
  const ask = createStillWanted(outbox.db.withPlugin(plugin), () => elapsed);
  const askAll = () => Promise.all(claims.map((claim) => ask(claim, 1000)));
  assert.equal([new Set(await askAll()), asked()], [new Set(['stands']), 0]);
  elapsed = 1251;
  for (const times of [1, 2])
    assert.equal([new Set(await askAll()), asked()], [new Set(['stands']), times]);
  await nextTurn();
  assert.is(asked(), 2, 'nothing is asked that nobody waits for');
});

test('of those that ask together each hears what is so of itself, and a database that fails answers the next ones', async () => {
  const claims = await claimAll(3);
  const ask = createStillWanted(outbox.db, () => 1000);
  const askAll = () => Promise.all(claims.map((claim) => ask(claim, 0)));
  const { deviceId = 0 } = claims[1]?.recipient ?? {};
  await outbox.db.deleteFrom('devices').where('id', '=', deviceId).execute();
  const standing = ['stands', 'unsubscribed', 'stands'];
  assert.equal(await askAll(), standing);
  await outbox.db.schema.alterTable('subscriptions').renameTo('away').execute();
  assert.equal(await askAll(), Array(3).fill('unknown'));
  await outbox.db.schema.alterTable('away').renameTo('subscriptions').execute();
  assert.equal(await askAll(), standing);
});

test('a push that asks while a question is under way has one of its own', async () => {
  const [early, late] = await claimAll(2);
  assert.ok(early && late);
  const { deviceId = 0 } = late.recipient ?? {};
  await outbox.db.deleteFrom('devices').where('id', '=', deviceId).execute();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let answers = 0;
  const holding: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      answers += 1;
      await held;
      return result;
    },
  };
  const ask = createStillWanted(outbox.db.withPlugin(holding), () => 1000);
  const first = ask(early, 0);
  await eventually(() => answers === 1, 'the first question');
  const second = ask(late, 0);
  await nextTurn();
  release();
  assert.equal([await first, await second], ['stands', 'unsubscribed']);
});

test.run();
