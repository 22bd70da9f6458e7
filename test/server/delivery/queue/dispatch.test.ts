import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Claim } from '../../../../server/db/outbox/claim';
import { claimOf } from '../../../support/server/claim';
import { createAttempt } from '../../../../server/delivery/queue/dispatch';
import type { Outcome, Push } from '../../../../server/delivery/transport';
import { createLog } from '../../../../server/lib/log';

const test = suite('one try of one row');
const START = Date.parse('2026-11-21T09:30:00Z');
const MINUTE = 60_000;
const refusedAll = { is: 'misconfigured', reason: 'status-401', scope: 'service' } as const;
const refusedOne = { is: 'misconfigured', reason: 'status-403', scope: 'device' } as const;

const makeClaim = (userId: number, token: string): Claim =>
  claimOf(
    { sentAt: START, expiresAt: START + 60 * MINUTE },
    {
      id: userId,
      recipient: {
        deviceId: userId,
        userId,
        topicId: 1,
        token,
        tokenHash: `hash ${token}`,
        seq: 1,
        unread: 1,
      },
    },
  );

/** The time of day and the monotonic clock are as far apart as they really are. */
function make() {
  const stage = { time: 0, outcome: { is: 'accepted' } as Outcome, tried: [] as string[] };
  const transport = (service: string) => async (): Promise<Outcome> => {
    stage.tried.push(service);
    return stage.outcome;
  };
  const { attempt, isRefused } = createAttempt(
    { 'web-push': transport('web-push'), fcm: transport('fcm') },
    {
      log: createLog(() => undefined),
      now: () => START + stage.time,
      elapsed: () => 1000 + stage.time,
      isClockSure: () => true,
      ask: async () => 'stands',
      random: () => 0,
      onAttempt: () => undefined,
    },
  );
  const send = async (outcome: Outcome, userId = 1, token = 'fcm-token') => {
    stage.outcome = outcome;
    const { settlement } = await attempt({
      claim: makeClaim(userId, token),
      since: 0,
      isTrusted: true,
    });
    return settlement;
  };
  return { stage, send, isRefused };
}

test('a push says each thing of its person in its own place', async () => {
  const pushes: Push[] = [];
  const transport = async (push: Push): Promise<Outcome> => {
    pushes.push(push);
    return { is: 'accepted' };
  };
  const { attempt } = createAttempt(
    { 'web-push': transport, fcm: transport },
    {
      log: createLog(() => undefined),
      now: () => START,
      elapsed: () => 0,
      isClockSure: () => true,
      ask: async () => 'stands',
      random: () => 0,
      onAttempt: () => undefined,
    },
  );
  const claim = makeClaim(1, 'token');
  const recipient = { ...claim.recipient!, seq: 41, unread: 3, topicId: 9 };
  await attempt({ claim: { ...claim, recipient }, since: 0, isTrusted: true });
  const [said] = pushes;
  const { seq, unread, topicId, round } = said?.data ?? {};
  assert.equal([seq, unread, topicId, round], ['41', '3', '9', '0']);
  assert.equal([said?.token, said?.expiresAt], ['token', claim.message.expiresAt]);
});

test('a service that refuses our credentials is left alone for five minutes, its rows wait untried, and others go on', async () => {
  const { stage, send, isRefused } = make();
  assert.is(isRefused(), false);
  await send(refusedAll);
  assert.is(isRefused(), true);
  stage.time += 4 * MINUTE;
  assert.equal(await send({ is: 'accepted' }, 2), {
    claim: makeClaim(2, 'fcm-token'),
    state: 'pending',
    attempted: false,
    dueAt: START + 5 * MINUTE,
    reason: 'held',
    failure: { reason: 'refused', isOfDevice: false },
  });
  assert.is((await send({ is: 'accepted' }, 2, '{}')).state, 'accepted');
  assert.equal(stage.tried, ['fcm', 'web-push']);
  assert.is(isRefused(), true, 'what another service accepts says nothing of this one');
  stage.time += MINUTE;
  assert.is(isRefused(), false);
  assert.is((await send({ is: 'accepted' })).state, 'accepted');
});

test('refusals of single devices count once three people are refused, and end with a push that is accepted', async () => {
  const { send, isRefused } = make();
  for (const [userId, refused] of [
    [1, false],
    [1, false],
    [2, false],
    [3, true],
  ] as const) {
    assert.is((await send(refusedOne, userId)).state, 'pending');
    assert.is(isRefused(), refused);
  }
  await send({ is: 'accepted' }, 4);
  assert.is(isRefused(), false);
});

test.run();
