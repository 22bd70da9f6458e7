import { get, set } from 'idb-keyval';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restoreSession, signIn } from '../../../../src/state/session';
import {
  loadTopics,
  topicsLoading,
  topicsShownAsOf,
} from '../../../../src/state/subscriptions/load';
import { savedTopics } from '../../../../src/state/subscriptions/offline';
import { isEnabled, toggle } from '../../../../src/state/subscriptions/switches';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { pushWorld } from '../../../support/push-services/push-world';
import { endSession, makeToken, signInAs } from '../../../support/app/session';
import { makeUser } from '../../../support/app/rows/people';

const test = suite('subscriptions');
const MINE = 'GET /api/notifications/my-subscriptions';
const titles = () => savedTopics.value.map(({ topic }) => topic.title);

test.before.each(() => {
  pushWorld.install('default');
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
  fakeApi.answer('GET /api/notifications/preferences', []);
  fakeApi.answer(MINE, [
    { id: 1, createdAt: '', topic: { id: 1, title: 'Outages', description: '' } },
  ]);
});
test.after.each(() => {
  endSession();
  clock.remove();
  fakeDatabase.remove();
  fakeApi.remove();
});

/** Once what was shown last lies in the database. */
const kept = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Databases open only once the returned function is called. */
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

// The first of all: a page opens its database once.
test('where the database does not open, the server is asked after a moment all the same', async () => {
  const release = holdDatabases();
  signInAs('TECHNICIAN', { id: 7 });
  const told: boolean[] = [];
  try {
    const loaded = loadTopics(false, (isKept) => void told.push(isKept));
    await clock.advance(300);
    await loaded;
  } finally {
    release();
  }
  assert.equal([told, titles()], [[false], ['Outages']]);
  await kept();
});

test('the topics that were shown last are shown again where the server cannot be reached', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await kept();
  fakeApi.lose(MINE);
  await loadTopics();
  assert.equal(titles(), ['Outages']);
  assert.ok(topicsShownAsOf.value);
});

test('a switch is kept as soon as the server has it, for the network may be gone the next moment', async () => {
  fakeApi.answer('PUT /api/notifications/preferences/global/:topicId', {
    topicId: 1,
    enabled: true,
  });
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await toggle(1, true);
  await kept();
  assert.equal(
    (await get<{ preferences: Map<number, boolean> }>('subscriptions'))?.preferences,
    new Map([[1, true]]),
  );
});

test('a kept topic is not shown to somebody else, even if it could not be forgotten', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await kept();
  const theirs: unknown = await get('subscriptions');
  endSession();
  await set('subscriptions', theirs);
  fakeApi.lose(MINE);
  signInAs('TECHNICIAN', { id: 8 });
  await loadTopics();
  assert.equal(titles(), []);
  assert.is(topicsLoading.value.is, 'failed');
});

test('an answer for one person is neither shown nor kept for the next, even if half of it was there', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  const release = fakeApi.hold('GET /api/notifications/preferences');
  const loaded = loadTopics();
  await waitFor(() => assert.is(fakeApi.asked(MINE).length, 1));
  await kept(); // so long that the topics are there
  endSession();
  signInAs('ADMIN', { id: 8 });
  release();
  await loaded;
  await kept();
  assert.equal(titles(), []);
  assert.is(await get('subscriptions'), undefined);
});

/** The topics are shown, and the server cannot be reached any more. */
async function loadAndLose(): Promise<void> {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await kept();
  fakeApi.lose(MINE);
  await loadTopics();
  assert.ok(topicsShownAsOf.value);
}

test('a server that could not be reached twice is asked again once, and not any more after it has answered', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await kept();
  fakeApi.lose(MINE);
  for (const _ of [1, 2]) await loadTopics();
  assert.is(fakeApi.asked(MINE).length, 3);
  await clock.advance(10_000);
  assert.is(fakeApi.asked(MINE).length, 4);
  await waitFor(() => assert.ok(topicsShownAsOf.value));
  fakeApi.answer(MINE, []);
  await loadTopics();
  await clock.advance(20_000);
  assert.is(fakeApi.asked(MINE).length, 5);
});

test('a server that is back and refuses is no server that cannot be reached', async () => {
  await loadAndLose();
  fakeApi.refuse(MINE, 403);
  await loadTopics();
  assert.equal([topicsLoading.value.is, topicsShownAsOf.value], ['failed', null]);
});

test('the effect of a switch on the preferences is not asked for any more in the next session', async () => {
  fakeApi.answer('PUT /api/notifications/preferences/global/:topicId', {
    topicId: 1,
    enabled: true,
  });
  const original = globalThis.setTimeout;
  const rechecks: (() => void)[] = [];
  globalThis.setTimeout = ((run: () => void, delay = 0) =>
    delay === 100 ? rechecks.push(run) : original(run, delay)) as typeof setTimeout;
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await toggle(1, true).finally(() => (globalThis.setTimeout = original));
  const asked = () => fakeApi.asked('GET /api/notifications/preferences').length;
  rechecks[0]?.();
  assert.equal([rechecks.length, asked()], [1, 2], 'in its own session it is');
  await kept();
  for (const id of [8, 7]) {
    endSession();
    signInAs('TECHNICIAN', { id });
    await kept();
    rechecks[0]?.();
    await kept();
    assert.is(asked(), 2, `in the session of ${id}`);
  }
  assert.is(await get('subscriptions'), undefined);
});

test('a switch that the server has not stored when its person leaves is not set for the next', async () => {
  const STORE = 'PUT /api/notifications/preferences/global/:topicId';
  fakeApi.answer(STORE, { topicId: 1, enabled: true });
  const release = fakeApi.hold(STORE);
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  const toggling = toggle(1, true).catch(() => {});
  assert.is(isEnabled(1), true);
  endSession();
  signInAs('TECHNICIAN', { id: 8 });
  await loadTopics();
  assert.equal([titles(), isEnabled(1)], [['Outages'], false]);
  release();
  await toggling;
  assert.is(isEnabled(1), false);
});

test('a person who signs out leaves nothing of their topics behind', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await kept();
  endSession();
  fakeApi.lose(MINE);
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await waitFor(() => assert.is(topicsLoading.value.is, 'failed'));
  assert.equal(titles(), []);
});

const LOGIN = 'POST /api/auth/login';
const SWITCHES = 'GET /api/notifications/preferences';
const user = makeUser(7);
const firstScreen = {
  subscriptions: [{ id: 5, createdAt: '', topic: { id: 6, title: 'Feeders', description: '' } }],
  preferences: [{ topicId: 6, enabled: true }],
};
const askedFor = () => [fakeApi.asked(MINE).length, fakeApi.asked(SWITCHES).length];

test('what a sign-in brought along is shown at once, kept, and the server is not asked', async () => {
  restoreSession();
  fakeApi.answer(LOGIN, { token: makeToken(), user, firstScreen });
  await signIn('m.okafor', 'bell-tower-9');
  void loadTopics();
  // Before anything else can happen.
  assert.equal([titles(), isEnabled(6)], [['Feeders'], true]);
  assert.is(topicsLoading.value.is, 'ready');
  void loadTopics(); // as the screen does that is drawn with it
  await kept();
  assert.equal(askedFor(), [0, 0]);
  fakeApi.lose(MINE);
  await loadTopics();
  assert.equal(titles(), ['Feeders']);
  assert.ok(topicsShownAsOf.value, 'the second time the server is asked');
  assert.equal(askedFor(), [1, 1]);
});

for (const [what, brought] of Object.entries({
  nothing: undefined,
  'something else than topics': { subscriptions: [{ id: 1 }], preferences: [] },
  'topics without their switches': { subscriptions: firstScreen.subscriptions },
  'no object': 'Feeders',
}))
  test(`where a sign-in brought ${what} along, the server is asked as before`, async () => {
    restoreSession();
    fakeApi.respond(
      LOGIN,
      () => new Response(JSON.stringify({ token: makeToken(), user, firstScreen: brought })),
    );
    await signIn('m.okafor', 'bell-tower-9');
    await loadTopics();
    assert.equal(titles(), ['Outages']);
    assert.equal(askedFor(), [1, 1]);
  });

test('what a sign-in brought along is not shown to somebody whom another tab signed in meanwhile', async () => {
  restoreSession();
  fakeApi.answer(LOGIN, { token: makeToken(), user, firstScreen });
  await signIn('m.okafor', 'bell-tower-9');
  signInAs('TECHNICIAN', { id: 8 });
  await loadTopics();
  assert.equal(titles(), ['Outages']);
  await kept();
  assert.is((await get<{ person: number }>('subscriptions'))?.person, 8);
});

test('what a sign-in brought along is not shown in the next session of the same person', async () => {
  restoreSession();
  fakeApi.answer(LOGIN, { token: makeToken(), user, firstScreen });
  await signIn('m.okafor', 'bell-tower-9');
  endSession();
  fakeApi.answer(LOGIN, { token: makeToken({ sid: 'another' }), user });
  await signIn('m.okafor', 'bell-tower-9');
  await loadTopics();
  assert.equal(titles(), ['Outages']);
});

test('what is kept is there before the server is asked, which waits for that to be drawn, and a row that is as it was stays the same', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await kept();
  const [outages] = savedTopics.value;
  savedTopics.value = []; // as in a page that has just begun
  topicsLoading.value = { is: 'idle' };
  let draw = (): void => {};
  const told: boolean[] = [];
  const loaded = loadTopics(false, (isKept) => {
    told.push(isKept);
    return new Promise<void>((drawn) => (draw = drawn));
  });
  await waitFor(() => assert.equal(titles(), ['Outages']));
  assert.equal([told, topicsLoading.value.is], [[true], 'loading']);
  const [shown] = savedTopics.value;
  assert.equal(shown, outages);
  await kept();
  assert.equal(askedFor(), [1, 1], 'as before');
  draw();
  await loaded;
  assert.equal(askedFor(), [2, 2]);
  assert.is(topicsLoading.value.is, 'ready');
  assert.is(savedTopics.value[0], shown);
  assert.equal(told, [true]);
});

test('what a slow phone has kept is shown though the server was asked before it was read', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics();
  await kept();
  savedTopics.value = []; // as in a page that has just begun
  topicsLoading.value = { is: 'idle' };
  const release = fakeApi.hold(MINE);
  const loaded = loadTopics();
  await waitFor(() => assert.equal(titles(), ['Outages']));
  assert.is(topicsLoading.value.is, 'loading');
  release();
  await loaded;
});

test('a session that ends before its first screen is drawn asks the server nothing', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  await loadTopics(false, () => {
    endSession();
    signInAs('TECHNICIAN', { id: 8 });
  });
  assert.equal(askedFor(), [0, 0]);
});

test('what could not be read is not asked for again in the next session', async () => {
  await loadAndLose();
  fakeApi.answer(MINE, []);
  endSession();
  signInAs('TECHNICIAN', { id: 8 });
  const before = askedFor();
  await clock.advance(60_000);
  await kept();
  assert.equal(askedFor(), before);
});

test('where nothing is kept, that is told before the server is asked', async () => {
  signInAs('TECHNICIAN', { id: 7 });
  const told: boolean[] = [];
  await loadTopics(false, (isKept) => {
    told.push(isKept);
    assert.equal(askedFor(), [0, 0]);
  });
  assert.equal([told, titles()], [[false], ['Outages']]);
});

test.run();
