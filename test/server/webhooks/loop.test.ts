/** The loop that calls webhooks: how it goes on, and how it stops. */
import * as assert from 'uvu/assert';
import { createCalling } from '../../../server/webhooks/calling';
import { awhile, eventually } from '../../support/eventually';
import { hang } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/stage';

const { test, stage } = webhookSuite('the loop that calls webhooks');
const logged = (event: string) => stage.server.log.filter((line) => line.includes(event)).length;

test('calls that wait follow each other, without a pause in between', async () => {
  const id = await stage.add('/bell');
  // Four at once: with its usual pause between any two looks it would take 40 s.
  await stage.fill(id, 80);
  const calling = createCalling(() => stage.server.services);
  calling.start();
  await stage.receiver.arrived(80);
  await calling.stop(1000);
  assert.is(await stage.waiting(), 0);
});

test('while the database does not answer the loop says so, and goes on when it does', async () => {
  await stage.add('/bell');
  await stage.tell({});
  let isAway = true;
  const { services } = stage.server;
  const calling = createCalling(() =>
    isAway
      ? {
          ...services,
          get db(): never {
            throw new Error('away');
          },
        }
      : services,
  );
  calling.start();
  await eventually(() => logged('webhooks cannot be called') > 0, 'the log to say so');
  isAway = false;
  calling.wake();
  await stage.receiver.arrived(1);
  await calling.stop(1000);
});

test('a call of which nothing can be recorded is said in the log, holds up no other, and is made again', async () => {
  const id = await stage.add('/bell');
  await stage.fill(id, 6);
  const { services } = stage.server;
  let failures = 0;
  const calling = createCalling(() => ({
    ...services,
    webhookCaller: {
      ...services.webhookCaller,
      call: (...given) =>
        (failures += 1) > 4
          ? services.webhookCaller.call(...given)
          : Promise.reject(new Error('out of memory')),
    },
  }));
  await calling.runDue();
  assert.equal([stage.receiver.calls.length, await stage.waiting()], [2, 4]);
  assert.is(logged('webhooks cannot be called'), 4);
  stage.server.clock.now += 31_000;
  await calling.runDue();
  assert.equal([stage.receiver.calls.length, await stage.waiting()], [6, 0]);
});

test('what another process left behind is found without being asked for, and a stop waits for no receiver', async () => {
  await stage.add('/bell');
  await stage.tell({});
  stage.receiver.replies.set('/bell', hang);
  const calling = createCalling(() => stage.server.services);
  calling.start();
  await stage.receiver.arrived(1);
  const began = performance.now();
  await calling.stop(20);
  assert.ok(performance.now() - began < 5000);
  assert.is(await stage.waiting(), 1);
});

test('a stop while it is looked for calls begins none', async () => {
  await stage.add('/bell');
  await stage.tell({});
  const calling = createCalling(() => stage.server.services);
  calling.start();
  await calling.stop(1000);
  assert.equal([stage.receiver.calls.length, await stage.waiting()], [0, 1]);
  await stage.server.calling.runDue();
  assert.is(stage.receiver.calls.length, 1, 'nobody holds it');
});

test('a stop that waits no more leaves no timer of its patience behind, which would keep the process', async () => {
  const count = (): number =>
    process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
  const before = count();
  const calling = createCalling(() => stage.server.services);
  calling.start();
  await calling.stop(60_000);
  assert.is(count(), before);
});

test('an answer that comes after a stop gave up waiting is not recorded: the database may be closed', async () => {
  await stage.add('/bell');
  await stage.tell({});
  let answer = (): void => undefined;
  const { services } = stage.server;
  const called = new Promise<void>((resolve) => (answer = resolve));
  const calling = createCalling(() => ({
    ...services,
    webhookCaller: {
      ...services.webhookCaller,
      call: async () => {
        await called;
        return { is: 'answered', status: 204, retryAfter: undefined, body: '' };
      },
    },
  }));
  calling.start();
  const claimed = () =>
    services.db
      .selectFrom('webhook_calls')
      .where('claimed_until', 'is not', null)
      .select('id')
      .execute();
  await eventually(async () => (await claimed()).length === 1, 'the call');
  await calling.stop(1);
  answer();
  await awhile();
  assert.is((await claimed()).length, 1);
});

test.run();
