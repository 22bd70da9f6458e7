import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptMessages } from '../../../../src/platform/storage/received';
import { follow } from '../../../../src/state/inbox/follow';
import { loading, shownAsOf } from '../../../../src/state/inbox/known';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { fakeInbox, makeMessages, MESSAGES } from '../../../support/app/fake-inbox';
import { endSession, signInAs } from '../../../support/app/session';
import { pushWorld } from '../../../support/push-services/push-world';

const test = suite('following the inbox');
const MINUTE = 60_000;
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

test.run();
