import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  confirmSound,
  beginTest,
  closeTest,
  testProgress,
  openTest,
  shownTest,
} from '../../../../src/state/reach/test-progress';
import { storeSleepTest, readStoredSleepTest } from '../../../../src/state/reach/sleep-test';
import { fakeApi } from '../../../support/app/app';
import {
  START_TEST_CALL,
  SOUND_ANSWER_CALL,
  READ_TEST_CALL,
  createQueuedTest,
} from '../../../support/app/fake-tests';
import { endSession, signInAs } from '../../../support/app/session';
import { eventually } from '../../../support/eventually';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('the progress of a test');

const replyWithTest = () =>
  fakeApi.reply(READ_TEST_CALL, ({ params }) => createQueuedTest(String(params.id)));

test.before.each(() => {
  fakeApi.install();
  replyWithTest();
  signInAs('TECHNICIAN', { id: 7 });
});
test.after.each(() => {
  closeTest();
  endSession();
  fakeApi.remove();
});

/** Opens a test, whose answer waits for the returned function. */
function openSlowly(id: string, fail: () => void = replyWithTest): () => Promise<void> {
  fail();
  const release = fakeApi.holdReplies(READ_TEST_CALL);
  const opened = openTest(id);
  replyWithTest();
  return () => {
    release();
    return opened;
  };
}

for (const [what, fail] of [
  ['answer', replyWithTest],
  ['rejection', () => fakeApi.reject(READ_TEST_CALL, 404)],
  ['failure', () => fakeApi.loseRequests(READ_TEST_CALL)],
] as const) {
  test(`ignores the ${what} for an earlier test once another opens`, async () => {
    const finish = openSlowly('first', fail);
    await openTest('second');
    await finish();
    assert.equal([testProgress.value.kind, shownTest.value], ['test', 'second']);
  });

  test(`ignores the ${what} for a closed or another person’s test`, async () => {
    for (const end of [
      closeTest,
      () => {
        endSession();
        signInAs('TECHNICIAN', { id: 8 });
      },
    ]) {
      const finish = openSlowly('first', fail);
      end();
      await finish();
      assert.equal(testProgress.value, { kind: 'none' });
    }
  });
}

test('drops an ended sleep test, and keeps one that could not be read', async () => {
  storeSleepTest('slept');
  for (const [fail, kept] of [
    [() => fakeApi.loseRequests(READ_TEST_CALL), 'slept'],
    [() => fakeApi.reject(READ_TEST_CALL, 500), 'slept'],
    [() => fakeApi.reject(READ_TEST_CALL, 404), undefined],
  ] as const) {
    fail();
    await openTest('slept');
    assert.is(readStoredSleepTest(), kept);
  }
});

test('hides the result of an answer from another test', async () => {
  fakeApi.reply(SOUND_ANSWER_CALL, ({ params }) =>
    createQueuedTest(String(params.id), { lateBy: 7 }),
  );
  await openTest('first');
  const release = fakeApi.holdReplies(SOUND_ANSWER_CALL);
  const confirming = confirmSound(true);
  await openTest('second');
  release();
  await confirming;
  const { value } = testProgress;
  assert.equal(value.kind === 'test' && [value.test.id, value.test.lateBy], ['second', null]);
});

test('hides late findings of a closed test, and sends nothing', async () => {
  const { storage } = navigator;
  fakePush.install('granted');
  const { getRegistration } = navigator.serviceWorker;
  try {
    for (const end of [closeTest, endSession, () => openTest('another')]) {
      fakePush.install('granted');
      signInAs('TECHNICIAN', { id: 7 });
      let tell: ((isKept: boolean) => void) | undefined;
      Object.defineProperty(navigator, 'storage', {
        configurable: true,
        value: { persisted: () => new Promise((resolve) => (tell = resolve)) },
      });
      const begun = beginTest(false);
      const settle = await eventually(() => tell, 'the storage to be looked at');
      assert.is(testProgress.value.kind, 'checking');
      await end();
      const shown = testProgress.value;
      navigator.serviceWorker.getRegistration = async () => undefined; // the next stage fails
      settle(true);
      assert.is(await begun, undefined);
      assert.is(testProgress.value, shown);
      assert.is(fakeApi.requestsTo(START_TEST_CALL).length, 0);
      navigator.serviceWorker.getRegistration = getRegistration;
    }
  } finally {
    Object.defineProperty(navigator, 'storage', { configurable: true, value: storage });
    fakePush.remove();
  }
});

test.run();
