import * as assert from 'uvu/assert';
import { keepMessages, readKeptMessages } from '../../../../src/platform/storage/received';
import {
  readCachedTopics,
  savedTopics,
  applyTopics,
} from '../../../../src/state/subscriptions/cached-topics';
import { loadTopics } from '../../../../src/state/subscriptions/load-topics';
import { cleanup, fakeApi, screenSuite, showScreen, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { fakeInbox, createMessages, LIST_MESSAGES_CALL } from '../../../support/app/fake-inbox';
import { endSession, signInAs } from '../../../support/app/session';
import { SignedInRoutes } from '../../../support/app/signed-in';
import { fakePush } from '../../../support/push-services/fake-push';

const test = screenSuite('start');
const MINE = 'GET /api/notifications/my-subscriptions';
const PERSON = 1700;

test.before.each(() => {
  fakePush.install('default');
  fakeDatabase.install();
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakeApi.reply(MINE, [
    { id: 1, createdAt: '', topic: { id: 1, title: 'Outages', description: '' } },
  ]);
  fakeInbox.install(createMessages(1));
  signInAs('TECHNICIAN', { id: PERSON });
});
test.after.each(async () => {
  cleanup();
  endSession();
  await readKeptMessages(PERSON); // waits for open writes
  fakeDatabase.remove();
});

const headings = () =>
  [...document.querySelectorAll('h2')].map(({ textContent }) => textContent?.trim());
const requestCount = () =>
  fakeApi.requestsTo(MINE).length + fakeApi.requestsTo(LIST_MESSAGES_CALL).length;

test('shows topics and new messages before asking the server', async () => {
  const topic = { id: 1, title: 'Outages', description: '' };
  applyTopics([{ id: 1, createdAt: '', topic }], new Map([[1, true]]));
  await keepMessages(PERSON, createMessages(1));
  await waitFor(async () => assert.ok(await readCachedTopics(PERSON)));
  savedTopics.value = []; // as in a fresh page
  let first: unknown[] = [];
  const watching = new MutationObserver(() => {
    if (!first.length && headings().length) first = [headings(), requestCount()];
  });
  watching.observe(document.body, { childList: true, subtree: true });
  showScreen(<SignedInRoutes />, '/');
  await waitFor(() => assert.equal(first, [['New messages (1)', 'Your subscribed topics (1)'], 0]));
  watching.disconnect();
  await waitFor(() => assert.is(requestCount(), 2));
});

test('draws the frame although the topics were requested before', async () => {
  showScreen(<SignedInRoutes />, '/');
  await loadTopics();
  await waitFor(() => assert.ok(document.querySelector('nav')));
});

test.run();
