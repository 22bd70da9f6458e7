import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  findOlder,
  inboxQuery,
  inboxResults,
  searchInbox,
} from '../../../../src/state/inbox/search-inbox';
import { fakeApi } from '../../../support/app/app';
import {
  fakeInbox,
  createMessage,
  createMessages,
  LIST_MESSAGES_CALL,
} from '../../../support/app/fake-inbox';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('searching messages');
let person = 800;

test.before.each(() => {
  fakeApi.install();
  fakeInbox.install([createMessage(1, { title: 'Feeder' }), createMessage(2, { title: 'Valve' })]);
  signInAs('TECHNICIAN', { id: ++person });
});
test.after.each(() => {
  endSession();
  fakeApi.remove();
});

const titles = () => inboxResults.value?.rows.map(({ title }) => title);

test('ignores a late response to earlier words', async () => {
  for (const fail of [
    () => undefined,
    () => fakeInbox.loseRequests(),
    () => fakeApi.reject(LIST_MESSAGES_CALL, 500),
  ]) {
    fakeInbox.install([
      createMessage(1, { title: 'Feeder' }),
      createMessage(2, { title: 'Valve' }),
    ]);
    fail();
    const release = fakeApi.holdReplies(LIST_MESSAGES_CALL);
    const late = searchInbox('feeder');
    fakeInbox.install([createMessage(2, { title: 'Valve' })]);
    await searchInbox('valve');
    assert.equal(titles(), ['Valve']);
    release();
    await late;
    assert.equal([inboxQuery.value, titles()], ['valve', ['Valve']]);
  }
});

test('ignores a response after the search or session ended', async () => {
  for (const end of [() => searchInbox(''), endSession]) {
    const release = fakeApi.holdReplies(LIST_MESSAGES_CALL);
    const late = searchInbox('feeder');
    await end();
    release();
    await late;
    assert.equal([inboxQuery.value, inboxResults.value], ['', null]);
    fakeInbox.install([createMessage(1, { title: 'Feeder' })]);
  }
});

test('ignores late results of an earlier search', async () => {
  fakeInbox.install(createMessages(30));
  await searchInbox('title');
  assert.is(titles()?.length, 20);
  const release = fakeApi.holdReplies(LIST_MESSAGES_CALL);
  const late = findOlder();
  fakeInbox.install(createMessages(30));
  await searchInbox('title 7');
  release();
  await late;
  assert.equal(titles(), ['Title 7']);
});

test('finds stored messages offline by every word, newest first', async () => {
  fakeInbox.install([
    createMessage(1, { title: 'Feeder 7', message: 'Storm in the north' }),
    createMessage(2, { title: 'Feeder 9', message: 'Tripped' }),
    createMessage(3, { title: 'Storm', message: 'near FEEDER 7' }),
    createMessage(4, { title: 'Valve', message: 'Storm' }),
  ]);
  await searchInbox('e'); // so that the app knows the messages
  fakeInbox.loseRequests();
  await searchInbox('storm  feeder');
  assert.equal(titles(), ['Storm', 'Feeder 7']);
  assert.is(inboxResults.value?.more, false);
});

test('shows why a search or its older results failed, and keeps the results', async () => {
  const why = (promise: Promise<void>) => promise.then(String, (error: Error) => error.message);
  fakeInbox.install(createMessages(30));
  await searchInbox('title');
  fakeInbox.loseRequests();
  assert.is(await why(findOlder()), 'Failed to load messages.');
  assert.is(titles()?.length, 20);
  fakeInbox.install(createMessages(30));
  await findOlder();
  assert.equal([titles()?.length, inboxResults.value?.more], [30, false]);
  fakeApi.reject(LIST_MESSAGES_CALL, 503, 'Too many questions.');
  assert.is(await why(searchInbox('valve')), 'Too many questions.');
});

test.run();
