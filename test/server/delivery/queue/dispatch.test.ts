import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClaimedPush } from '../../../../server/db/outbox/claimed-push';
import { createClaim } from '../../../support/delivery/claim';
import { createDispatch } from '../../../../server/delivery/queue/dispatch';
import type { WantedState } from '../../../../server/delivery/queue/still-wanted';
import type { PushOutcome, OutgoingPush } from '../../../../server/delivery/transport';
import { createLog } from '../../../../server/lib/log';

const test = suite('one attempt of one push');
const START = Date.parse('2026-11-21T09:30:00Z');
const MINUTE_MS = 60_000;
const allRejected = { kind: 'misconfigured', reason: 'status-401', scope: 'service' } as const;
const createPersonClaim = (userId: number, token: string): ClaimedPush =>
  createClaim(
    { sentAt: START, expiresAt: START + 60 * MINUTE_MS },
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
        withdrawnIds: [],
        language: null,
      },
    },
  );

/** The wall clock and the monotonic clock differ, as they really do. */
function createRecordedDispatch() {
  const state = {
    time: 0,
    outcome: { kind: 'accepted' } as PushOutcome,
    stillWanted: 'wanted' as WantedState,
    isClockSure: true,
    tried: [] as string[],
    attempts: [] as string[],
    log: [] as string[],
  };
  const transport =
    (service: string) =>
    async (push: OutgoingPush): Promise<PushOutcome> => {
      state.tried.push(service);
      if (!(await push.maySendNow?.())) return { kind: 'withdrawn' };
      if (state.outcome.kind === 'failed' && state.outcome.reason === 'throws')
        throw new Error('Oh');
      return state.outcome;
    };
  const attempt = createDispatch(
    { 'web-push': transport('web-push'), fcm: transport('fcm') },
    {
      log: createLog((line) => state.log.push(line)),
      defaultLanguage: 'en',
      now: () => START + state.time,
      elapsed: () => 1000 + state.time,
      isClockSure: () => state.isClockSure,
      checkStillWanted: async () => state.stillWanted,
      random: () => 0,
      onAttempt: (service, kind) => state.attempts.push(`${service} ${kind}`),
    },
  );
  const send = async (outcome: PushOutcome, userId = 1, token = 'fcm-token', isProven = true) => {
    state.outcome = outcome;
    const claim = createPersonClaim(userId, token);
    return (await attempt({ claim, since: 0, isProven })).settlement;
  };
  const heardFrom = async (
    outcome: PushOutcome,
    userId = 1,
    token = 'fcm-token',
    isProven = true,
  ) => {
    state.outcome = outcome;
    return (await attempt({ claim: createPersonClaim(userId, token), since: 0, isProven })).signal;
  };
  return { state, send, attempt, heardFrom };
}

test('fills each field of a push, of a test and of a digest', async () => {
  const pushes: OutgoingPush[] = [];
  const transport = async (push: OutgoingPush): Promise<PushOutcome> => {
    pushes.push(push);
    return { kind: 'accepted' };
  };
  const attempt = createDispatch(
    { 'web-push': transport, fcm: transport },
    {
      log: createLog(() => undefined),
      defaultLanguage: 'en',
      now: () => START,
      elapsed: () => 0,
      isClockSure: () => true,
      checkStillWanted: async () => 'wanted',
      random: () => 0,
      onAttempt: () => undefined,
    },
  );
  const claim = createPersonClaim(1, 'token');
  const recipient = { ...claim.recipient!, seq: 41, unread: 3, topicId: 9 };
  const sentPush = async (
    change: Partial<ClaimedPush['message']> = {},
    topicId: number | null = 9,
  ) => {
    const message = { ...claim.message, answers: ['Got it'], link: '/map', ...change };
    const claimOfTopic = { ...claim, message, recipient: { ...recipient, topicId } };
    await attempt({ claim: claimOfTopic, since: 0, isProven: true });
    return pushes.pop();
  };
  const left = await sentPush();
  const data = {
    title: 'Outages',
    body: 'Line 4',
    lang: 'en',
    topicId: '9',
    messageId: 'm1',
    link: '/messages/m1',
    sentAt: '2026-11-21T09:30:00.000Z',
    priority: 'normal',
    answers: '["Got it"]',
    url: '/map',
    expiresAt: '2026-11-21T10:30:00.000Z',
    seq: '41',
    unread: '3',
    round: '0',
    revision: '1',
  };
  assert.equal(left?.data, data);
  recipient.withdrawnIds = ['m0', 'm-1'];
  assert.equal((await sentPush())?.data, { ...data, closes: 'm0,m-1' });
  recipient.withdrawnIds = [];
  assert.equal([left?.token, left?.expiresAt], ['token', claim.message.expiresAt]);
  const repeatedData = { ...data, url: '', round: '2', topicId: '' };
  assert.equal((await sentPush({ link: null, round: 2 }, null))?.data, repeatedData);
  const tested = { ...data, messageId: 't1', testId: 't1', link: '/check?test=t1', url: '' };
  assert.equal((await sentPush({ testId: 't1', link: null }))?.data, tested);
  const digest = { isDigest: true, link: '/messages' };
  const digestData = { ...data, link: '/messages', url: '', dir: 'ltr' };
  assert.equal((await sentPush(digest))?.data, digestData);
  const translations = { ar: { message: 'الخط 4', answers: ['فهمت'] } };
  const arabic = { ...recipient, language: 'ar' as const };
  await attempt({
    claim: {
      ...claim,
      message: { ...claim.message, answers: ['Got it'], translations },
      recipient: arabic,
    },
    since: 0,
    isProven: true,
  });
  const { body, answers, lang, dir, title } = pushes.pop()!.data;
  assert.equal([title, body, answers], ['Outages', 'الخط 4', '["فهمت"]']);
  assert.equal([lang, dir], ['ar', 'rtl'], 'only where the text is known to be Arabic');
  const reminder = await sentPush({ isReminder: true, link: '/check-in' });
  assert.is(reminder?.data.link, '/check-in');
});

test('pauses a service that rejects our credentials for five minutes, and no other', async () => {
  const { state, send } = createRecordedDispatch();
  await send(allRejected);
  state.time += 4 * MINUTE_MS;
  const held = {
    claim: createPersonClaim(2, 'fcm-token'),
    state: 'pending',
    attempted: false,
    dueAt: START + 5 * MINUTE_MS,
    reason: 'held',
    failure: { reason: 'refused', isOfDevice: false },
  };
  assert.equal(await send({ kind: 'accepted' }, 2), held);
  assert.is((await send({ kind: 'accepted' }, 2, '{}')).state, 'accepted');
  assert.equal(state.tried, ['fcm', 'web-push']);
  assert.equal(
    await send({ kind: 'accepted' }, 2),
    held,
    'another service says nothing of this one',
  );
  state.time += MINUTE_MS;
  assert.is((await send({ kind: 'accepted' })).state, 'accepted');
});

test('skips an unwanted push with its reason, without an attempt', async () => {
  const { state, send, attempt } = createRecordedDispatch();
  const skipped = {
    state: 'skipped',
    attempted: false,
    failure: { reason: 'removed', isOfDevice: false },
  };
  for (const reason of ['cancelled', 'answered', 'unsubscribed'] as const) {
    state.stillWanted = reason;
    assert.equal(await send({ kind: 'accepted' }), {
      claim: createPersonClaim(1, 'fcm-token'),
      ...skipped,
      reason,
    });
  }
  assert.is(state.tried.length, 3);
  for (const skipReason of ['cancelled', undefined] as const) {
    const claim = createClaim(
      { sentAt: START, expiresAt: START + MINUTE_MS },
      { id: 1, skipReason },
    );
    const { settlement } = await attempt({ claim, since: 0, isProven: true });
    assert.equal(settlement, { claim, ...skipped, reason: skipReason ?? 'unsubscribed' });
  }
  assert.is(state.tried.length, 3, 'who is no recipient is not even asked for');
});

test('retries soon after a database error or a bug in a transport', async () => {
  const { state, send } = createRecordedDispatch();
  state.stillWanted = 'unknown';
  assert.equal(await send({ kind: 'accepted' }), {
    claim: createPersonClaim(1, 'fcm-token'),
    state: 'pending',
    attempted: false,
    dueAt: START + 5000,
    reason: 'database',
  });
  state.stillWanted = 'wanted';
  const brokenSettlement = await send({ kind: 'failed', reason: 'throws' });
  assert.equal(
    [brokenSettlement.state, brokenSettlement.reason, brokenSettlement.attempted],
    ['pending', 'internal', true],
  );
  assert.is(state.log.filter((line) => line.includes('push failed unexpectedly')).length, 1);
});

test.run();
