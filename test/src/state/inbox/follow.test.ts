import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptMessages } from '../../../../src/platform/storage/received';
import { follow } from '../../../../src/state/inbox/follow';
import { loading, shownAsOf } from '../../../../src/state/inbox/known';
import { awhile } from '../../../support/eventually';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { fakeInbox, makeMessages, MESSAGES } from '../../../support/app/fake-inbox';
import { endSession, signInAs } from '../../../support/app/session';
import { pushWorld } from '../../../support/push-services/push-world';

const test = suite('following the inbox');
const [MINUTE, RETRY] = [60_000, 10_000];
/** In each test another: what one test leaves under way is nothing to the next. */
let person = 700;

test.before.each(() => {
  pushWorld.install('default');
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
  fakeInbox.install(makeMessages(2));
  signInAs('TECHNICIAN', { id: ++person });
});
test.after.each(async () => {
  endSession();
  await keptMessages(person); // behind all that is still being kept
  clock.remove();
  fakeDatabase.remove();
  fakeApi.remove();
});

const count = () => fakeApi.asked(MESSAGES).length;
const asked = (times: number) => waitFor(() => assert.is(count(), times));
const read = () =>
  waitFor(() => assert.equal([loading.value.is, shownAsOf.value], ['ready', null]));
const lost = () => waitFor(() => assert.ok(shownAsOf.value));

test('the inbox is asked for once a minute however many follow it, until the last of them stops, and again after that', async () => {
  const [first, second] = [follow(), follow()];
  await read();
  for (const times of [2, 3]) {
    await clock.advance(MINUTE);
    await asked(times);
  }
  first();
  await clock.advance(MINUTE);
  await asked(4);
  second();
  dispatchEvent(new Event('online'));
  await clock.advance(3 * MINUTE);
  assert.is(count(), 4);
  const third = follow();
  await asked(5);
  await clock.advance(MINUTE);
  await asked(6);
  third();
});

test('a server that cannot be reached is asked every ten seconds until it answers, and then once a minute', async () => {
  const stop = follow();
  await read();
  fakeInbox.lose();
  await clock.advance(MINUTE);
  await lost();
  for (const times of [3, 4]) {
    await clock.advance(RETRY);
    await asked(times);
    await awhile(); // until the next question has its time
  }
  fakeInbox.install(makeMessages(2));
  await clock.advance(RETRY);
  await read();
  const before = count();
  await awhile();
  await clock.advance(RETRY);
  assert.is(count(), before);
  stop();
});

test('who stops while the server is being asked in vain asks no more', async () => {
  const stop = follow();
  await read();
  fakeInbox.lose();
  dispatchEvent(new Event('online'));
  await lost();
  await clock.advance(RETRY);
  const before = count();
  dispatchEvent(new Event('online'));
  stop();
  await asked(before + 1);
  await awhile();
  await clock.advance(MINUTE);
  assert.is(count(), before + 1);
});

test.run();
