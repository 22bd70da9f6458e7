import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readKeptMessages } from '../../../../src/platform/storage/received';
import { answerMessage } from '../../../../src/state/inbox/inbox-answers';
import { markRead } from '../../../../src/state/inbox/opened-message';
import { inboxSummary } from '../../../../src/state/inbox/inbox-summary';
import { refreshInbox } from '../../../../src/state/inbox/load-inbox';
import type { Role } from '../../../../src/shared/contract';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { fakeInbox, createMessage, createMessages } from '../../../support/app/fake-inbox';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('the inbox in the frame');
let person = 900;
test.before.each(() => {
  fakePush.install('default');
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
});
test.after.each(async () => {
  endSession();
  await readKeptMessages(person); // waits for open writes
  clock.remove();
  fakeDatabase.remove();
  fakeApi.remove();
});

async function read(role: Role): Promise<void> {
  signInAs(role, { id: ++person });
  await refreshInbox();
}

test('counts unread messages, and links administrators to sent ones', async () => {
  fakeInbox.install(createMessages(3));
  await read('TECHNICIAN');
  assert.is(inboxSummary.value.unread, 3);
  endSession();
  assert.is(inboxSummary.value.unread, 0);
  await read('ADMIN');
  assert.is(inboxSummary.value.unread, 0);
});

test('alarms only while an urgent message waits for an answer', async () => {
  const urgent = { priority: 'urgent' as const, answers: ['Got it'] };
  fakeInbox.install([createMessage(1, urgent), createMessage(2, { answers: ['Got it'] })]);
  await read('TECHNICIAN');
  assert.is(inboxSummary.value.urgent, true);
  await answerMessage('m1', 'Got it');
  assert.is(inboxSummary.value.urgent, false);
});

test('counts answers waiting for a connection, with the time of the last news', async () => {
  fakeInbox.install([1, 2].map((seq) => createMessage(seq, { answers: ['Got it'] })));
  await read('TECHNICIAN');
  assert.equal([inboxSummary.value.waiting, inboxSummary.value.asOf], ['', null]);
  fakeInbox.loseRequests();
  await refreshInbox();
  assert.type(inboxSummary.value.asOf, 'number');
  await markRead('m1');
  assert.is(inboxSummary.value.waiting, '', 'reading is no answer');
  await answerMessage('m1', 'Got it');
  await waitFor(() => assert.is(inboxSummary.value.waiting, ' 1 answer not sent yet.'));
  await answerMessage('m2', 'Got it');
  await waitFor(() => assert.is(inboxSummary.value.waiting, ' 2 answers not sent yet.'));
  assert.is(inboxSummary.value.unread, 0, 'an answer includes the reading');
});

test.run();
