import { get, set } from 'idb-keyval';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restoreSession, signIn } from '../../../../src/state/session';
import {
  loadTopics,
  topicsLoading,
  topicsShownAsOf,
} from '../../../../src/state/subscriptions/load-topics';
import { savedTopics } from '../../../../src/state/subscriptions/cached-topics';
import { isTopicEnabled, toggleTopic } from '../../../../src/state/subscriptions/topic-switches';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { fakePush } from '../../../support/push-services/fake-push';
import { endSession, createToken, signInAs } from '../../../support/app/session';
import { createUser } from '../../../support/app/factories/people';

const test = suite('subscriptions');
const MINE = 'GET /api/notifications/my-subscriptions';
const titles = () => savedTopics.value.map(({ topic }) => topic.title);

test.before.each(() => {
  fakePush.install('default');
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakeApi.reply(MINE, [
    { id: 1, createdAt: '', topic: { id: 1, title: 'Outages', description: '' } },
  ]);
});
test.after.each(() => {
  endSession();
  clock.remove();
  fakeDatabase.remove();
  fakeApi.remove();
});

/** Resolves once the topics are stored in the database. */
const topicsStored = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function holdDatabases(): () => void {
  const { indexedDB } = globalThis;
  const held: (() => void)[] = [];
  const open = (name: string) => {
    const request = {} as IDBOpenDBRequest;
    const tell = (event: 'onsuccess' | 'onupgradeneeded', real: IDBOpenDBRequest) => () => {
      Object.assign(request, { result: real.result });
      request[event]?.({} as never);
    };
    held.push(() => {
      const real = indexedDB.open(name);
      real.onupgradeneeded = tell('onupgradeneeded', real);
      real.onsuccess = tell('onsuccess', real);
    });
    return request;
  };
  Object.assign(globalThis, { indexedDB: { open, deleteDatabase: () => ({}) } });
  return () => {
    Object.assign(globalThis, { indexedDB });
    for (const go of held) go();
  };
}

// First of all tests: a page opens its database once.
test('asks the server shortly even when the database does not open', async () => {
  const release = holdDatabases();
  signInAs('TECHNICIAN', { id: 7 });
  const stored: boolean[] = [];
  try {
    const loaded = loadTopics(false, (isKept) => void stored.push(isKept));
    await clock.advance(300);
    await loaded;
  } finally {
    release();
  }
  assert.equal([stored, titles()], [[false], ['Outages']]);
  await topicsStored();
});

test('shows the last topics when the server is unreachable', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await topicsStored();
  fakeApi.loseRequests(MINE);
  await loadTopics();
  assert.equal(titles(), ['Outages']);
  assert.ok(topicsShownAsOf.value);
});

test('stores a switch as soon as the server has it', async () => {
  fakeApi.reply('PUT /api/notifications/preferences/global/:topicId', {
    topicId: 1,
    enabled: true,
  });
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await toggleTopic(1, true);
  await topicsStored();
  assert.equal(
    (await get<{ preferences: Map<number, boolean> }>('subscriptions'))?.preferences,
    new Map([[1, true]]),
  );
});

test('hides stored topics from others, even if they could not be erased', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await topicsStored();
  const theirs: unknown = await get('subscriptions');
  endSession();
  await set('subscriptions', theirs);
  fakeApi.loseRequests(MINE);
  signInAs('TECHNICIAN', { id: 8 });
  await loadTopics();
  assert.equal(titles(), []);
  assert.is(topicsLoading.value.kind, 'failed');
});

test('ignores and drops a response for another person, even a partial one', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  const release = fakeApi.holdReplies('GET /api/notifications/preferences');
  const loaded = loadTopics();
  await waitFor(() => assert.is(fakeApi.requestsTo(MINE).length, 1));
  await topicsStored(); // until the topics are there
  endSession();
  signInAs('ADMIN', { id: 8 });
  release();
  await loaded;
  await topicsStored();
  assert.equal(titles(), []);
  assert.is(await get('subscriptions'), undefined);
});

async function loadThenLoseConnection(): Promise<void> {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await topicsStored();
  fakeApi.loseRequests(MINE);
  await loadTopics();
  assert.ok(topicsShownAsOf.value);
}

test('asks an unreachable server once more, and not after it responded', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await topicsStored();
  fakeApi.loseRequests(MINE);
  for (const _ of [1, 2]) await loadTopics();
  assert.is(fakeApi.requestsTo(MINE).length, 3);
  await clock.advance(10_000);
  assert.is(fakeApi.requestsTo(MINE).length, 4);
  await waitFor(() => assert.ok(topicsShownAsOf.value));
  fakeApi.reply(MINE, []);
  await loadTopics();
  await clock.advance(20_000);
  assert.is(fakeApi.requestsTo(MINE).length, 5);
});

test('distinguishes a rejecting server from an unreachable one', async () => {
  await loadThenLoseConnection();
  fakeApi.reject(MINE, 403);
  await loadTopics();
  assert.equal([topicsLoading.value.kind, topicsShownAsOf.value], ['failed', null]);
});

test('stops asking about a switch in the next session', async () => {
  fakeApi.reply('PUT /api/notifications/preferences/global/:topicId', {
    topicId: 1,
    enabled: true,
  });
  const original = globalThis.setTimeout;
  const rechecks: (() => void)[] = [];
  globalThis.setTimeout = ((run: () => void, delay = 0) =>
    delay === 100 ? rechecks.push(run) : original(run, delay)) as typeof setTimeout;
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await toggleTopic(1, true).finally(() => (globalThis.setTimeout = original));
  const preferenceRequestCount = () =>
    fakeApi.requestsTo('GET /api/notifications/preferences').length;
  rechecks[0]?.();
  assert.equal([rechecks.length, preferenceRequestCount()], [1, 2], 'in its own session');
  await topicsStored();
  for (const id of [8, 7]) {
    endSession();
    signInAs('TECHNICIAN', { id });
    await topicsStored();
    rechecks[0]?.();
    await topicsStored();
    assert.is(preferenceRequestCount(), 2, `in the session of ${id}`);
  }
  assert.is(await get('subscriptions'), undefined);
});

test('drops an unsaved switch of the previous person', async () => {
  const STORE = 'PUT /api/notifications/preferences/global/:topicId';
  fakeApi.reply(STORE, { topicId: 1, enabled: true });
  const release = fakeApi.holdReplies(STORE);
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  const toggling = toggleTopic(1, true).catch(() => {});
  assert.is(isTopicEnabled(1), true);
  endSession();
  signInAs('TECHNICIAN', { id: 8 });
  await loadTopics();
  assert.equal([titles(), isTopicEnabled(1)], [['Outages'], false]);
  release();
  await toggling;
  assert.is(isTopicEnabled(1), false);
});

test('leaves no topics behind on sign-out', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await topicsStored();
  endSession();
  fakeApi.loseRequests(MINE);
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await waitFor(() => assert.is(topicsLoading.value.kind, 'failed'));
  assert.equal(titles(), []);
});

const LOGIN = 'POST /api/auth/login';
const SWITCHES = 'GET /api/notifications/preferences';
const user = createUser(7);
const firstScreen = {
  subscriptions: [{ id: 5, createdAt: '', topic: { id: 6, title: 'Feeders', description: '' } }],
  preferences: [{ topicId: 6, enabled: true }],
};
const requestedPaths = () => [fakeApi.requestsTo(MINE).length, fakeApi.requestsTo(SWITCHES).length];

test('shows and stores topics that sign-in returned, without another request', async () => {
  restoreSession();
  fakeApi.reply(LOGIN, { token: createToken(), user, firstScreen });
  await signIn('m.okafor', 'bell-tower-9');
  void loadTopics();
  // The topics are shown synchronously.
  assert.equal([titles(), isTopicEnabled(6)], [['Feeders'], true]);
  assert.is(topicsLoading.value.kind, 'ready');
  void loadTopics(); // as the first screen does
  await topicsStored();
  assert.equal(requestedPaths(), [0, 0]);
  fakeApi.loseRequests(MINE);
  await loadTopics();
  assert.equal(titles(), ['Feeders']);
  assert.ok(topicsShownAsOf.value, 'then from the server');
  assert.equal(requestedPaths(), [1, 1]);
});

for (const [what, brought] of Object.entries({
  nothing: undefined,
  'something else than topics': { subscriptions: [{ id: 1 }], preferences: [] },
  'topics without their switches': { subscriptions: firstScreen.subscriptions },
  'no object': 'Feeders',
}))
  test(`asks the server when sign-in returned ${what}`, async () => {
    restoreSession();
    fakeApi.respond(
      LOGIN,
      () => new Response(JSON.stringify({ token: createToken(), user, firstScreen: brought })),
    );
    await signIn('m.okafor', 'bell-tower-9');
    await loadTopics();
    assert.equal(titles(), ['Outages']);
    assert.equal(requestedPaths(), [1, 1]);
  });

test('hides topics of a sign-in from a person signed in by another tab', async () => {
  restoreSession();
  fakeApi.reply(LOGIN, { token: createToken(), user, firstScreen });
  await signIn('m.okafor', 'bell-tower-9');
  signInAs('TECHNICIAN', { id: 8 });
  await loadTopics();
  assert.equal(titles(), ['Outages']);
  await topicsStored();
  assert.is((await get<{ person: number }>('subscriptions'))?.person, 8);
});

test('drops topics of a sign-in in the person’s next session', async () => {
  restoreSession();
  fakeApi.reply(LOGIN, { token: createToken(), user, firstScreen });
  await signIn('m.okafor', 'bell-tower-9');
  endSession();
  fakeApi.reply(LOGIN, { token: createToken({ sid: 'another' }), user });
  await signIn('m.okafor', 'bell-tower-9');
  await loadTopics();
  assert.equal(titles(), ['Outages']);
});

test('shows stored rows before asking, and keeps unchanged row objects', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await topicsStored();
  const [outages] = savedTopics.value;
  savedTopics.value = []; // as in a fresh page
  topicsLoading.value = { kind: 'idle' };
  let draw = (): void => {};
  const stored: boolean[] = [];
  const loaded = loadTopics(false, (isKept) => {
    stored.push(isKept);
    return new Promise<void>((drawn) => (draw = drawn));
  });
  await waitFor(() => assert.equal(titles(), ['Outages']));
  assert.equal([stored, topicsLoading.value.kind], [[true], 'loading']);
  const [shown] = savedTopics.value;
  assert.equal(shown, outages);
  await topicsStored();
  assert.equal(requestedPaths(), [1, 1], 'as before');
  draw();
  await loaded;
  assert.equal(requestedPaths(), [2, 2]);
  assert.is(topicsLoading.value.kind, 'ready');
  assert.is(savedTopics.value[0], shown);
  assert.equal(stored, [true]);
});

test('shows slowly read rows though the server was asked before', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await topicsStored();
  savedTopics.value = []; // as in a fresh page
  topicsLoading.value = { kind: 'idle' };
  const release = fakeApi.holdReplies(MINE);
  const loaded = loadTopics();
  await waitFor(() => assert.equal(titles(), ['Outages']));
  assert.is(topicsLoading.value.kind, 'loading');
  release();
  await loaded;
});

test('asks nothing when the session ends before the first screen', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics(false, () => {
    endSession();
    signInAs('TECHNICIAN', { id: 8 });
  });
  assert.equal(requestedPaths(), [0, 0]);
});

test('does not retry a failure in the next session', async () => {
  await loadThenLoseConnection();
  fakeApi.reply(MINE, []);
  endSession();
  signInAs('TECHNICIAN', { id: 8 });
  const before = requestedPaths();
  await clock.advance(60_000);
  await topicsStored();
  assert.equal(requestedPaths(), before);
});

test('says that nothing is stored before asking the server', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  const stored: boolean[] = [];
  await loadTopics(false, (isKept) => {
    stored.push(isKept);
    assert.equal(requestedPaths(), [0, 0]);
  });
  assert.equal([stored, titles()], [[false], ['Outages']]);
});

test.run();
