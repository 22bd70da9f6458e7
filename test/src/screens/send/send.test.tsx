import * as assert from 'uvu/assert';
import { announceScheduled } from '../../../../src/screens/compose/announce-scheduled';
import { Send } from '../../../../src/screens/send/Send';
import { SentMessages } from '../../../../src/screens/send/SentMessages';
import { SentMessageScreen } from '../../../../src/screens/sent/message/SentMessageScreen';
import { ownRights, applyRights } from '../../../../src/state/rights';
import { Route } from 'wouter';
import {
  chooseOption,
  cleanup,
  clock,
  fakeApi,
  findButton,
  fireEvent,
  notices,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import { createSentMessage } from '../../../support/app/factories/people';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('send');
const SEND = 'POST /api/sending/messages';
const TOPICS = 'GET /api/sending/topics';
const storm = { id: 1, title: 'Storm', description: '', people: 31, reachable: 26 };
const depot = { id: 2, title: 'Depot', description: '', people: 8, reachable: 8 };
const audience = { people: 31, reachable: 26, muted: 0, unreachable: 5, held: 0 };

test.before.each(() => {
  signInAs('TECHNICIAN', { username: 'j.petrov' });
  applyRights({ maySend: true });
});
test.after.each(endSession);

async function open(...topics: (typeof storm)[]): Promise<void> {
  fakeApi.reply(TOPICS, { topics });
  fakeApi.reply('POST /api/sending/audience', audience);
  fakeApi.reply(SEND, { message: 'Sent to 31 people.', messageId: 'm1', notified: true });
  showScreen(<Send />, '/send');
  await screen.findByRole('checkbox', { name: /^Storm/ });
}
const isChosen = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /^Storm/ }).checked;
const message = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^Message/ });
async function pressSend(): Promise<void> {
  await clock.advance(300);
  const send = await findButton('Send to 31 people');
  await waitFor(() => assert.is((send as HTMLButtonElement).disabled, false));
  assert.ok(screen.getByText('31 people get this'));
  assert.ok(screen.getByText('26 reachable, 5 not reachable'));
  pressElement(send);
  pressElement(send);
}

test('sends to a topic once, and shows the message', async () => {
  await open(storm, depot);
  assert.is(isChosen(), false);
  pressElement(screen.getByRole('checkbox', { name: /^Storm/ }));
  typeInto(message(), 'Ice on the road.');
  await pressSend();
  await waitFor(() => assert.is(location.pathname, '/sent/m1'));
  assert.equal(
    fakeApi.requestsTo(SEND).map(({ body }) => body),
    [{ topicIds: [1], message: 'Ice on the road.', priority: 'normal', answers: ['Got it'] }],
  );
  cleanup();
  fakeApi.reply('GET /api/sending/messages/:id', { ...createSentMessage('m1'), isOwn: true });
  const release = fakeApi.holdReplies('GET /api/sending/messages/:id');
  showScreen(<Route path="/sent/:messageId" component={SentMessageScreen} />, '/sent/m1');
  await screen.findByRole('heading', { name: 'Storm' });
  assert.ok(screen.getByText('Sending'), 'before the message is read');
  assert.ok(screen.getByText('Ice on the road.'));
  release();
  await waitFor(() => assert.is(screen.queryByText('Sending'), null));
});

test('chooses the only topic, and keeps the text when the permission is removed', async () => {
  await open(storm);
  await waitFor(() => assert.ok(isChosen()));
  typeInto(message(), 'Ice on the road.');
  const sentence = 'At least one of these topics does not accept messages from you.';
  fakeApi.reject(SEND, 403, sentence);
  fakeApi.reject(TOPICS, 403);
  await pressSend();
  await screen.findByText(sentence);
  await waitFor(() => assert.equal(ownRights.value, []));
  await screen.findByText('You can no longer send to this topic.');
  assert.is(message().value, 'Ice on the road.');
  cleanup();
  await open(storm); // in a new page
  assert.is(message().value, 'Ice on the road.');
});

test('sends the sender’s translations', async () => {
  await open(storm);
  typeInto(message(), 'Ice on the road.');
  // A browser reports it after a press.
  fireEvent(screen.getByText(/^More options/).closest('details')!, new Event('toggle'));
  pressElement(await findButton('Add translations'));
  chooseOption(await screen.findByLabelText('Add a language'), 'Deutsch (German)');
  typeInto(screen.getByLabelText('Message in German'), 'Glatteis.');
  await pressSend();
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 1));
  const { translations } = fakeApi.requestsTo(SEND)[0]!.body as { translations?: object };
  assert.equal(translations, { de: { message: 'Glatteis.' } });
});

test('reviews an urgent message first', async () => {
  await open(storm);
  typeInto(message(), 'Leave the site.');
  pressElement(screen.getByRole('radio', { name: 'Urgent' }));
  await pressSend();
  await screen.findByRole('dialog', { name: 'Review before sending' });
  assert.equal(fakeApi.requestsTo(SEND), []);
  pressInDialog('Send to 31 people');
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 1));
});

const {
  total: _t,
  accepted: _a,
  failed: _f,
  gone: _g,
  pending: _p,
  ...sent
} = createSentMessage('m1');

test('cancels a scheduled message from its notice', async () => {
  fakeApi.reply('POST /api/sending/messages/:id/cancel', { ...sent, isOwn: true });
  await open(storm);
  announceScheduled({ sentence: 'Scheduled.', tone: '', messageId: 'm1' });
  pressElement(await notices().findByRole('button', { name: 'Cancel sending' }));
  await notices().findByText('Canceled. The message won’t be sent.');
});

test('takes back a message within its seconds, and keeps the text', async () => {
  const none = { ...sent.people, total: 0 };
  fakeApi.reply('POST /api/sending/messages/:id/cancel', { ...sent, people: none, isOwn: true });
  await open(storm);
  fakeApi.reply('POST /api/sending/audience', { ...audience, canUndo: true });
  typeInto(message(), 'Ice on the road.');
  await pressSend();
  pressElement(await notices().findByRole('button', { name: 'Undo' }));
  await notices().findByText(/^Undone\. Nothing was sent\./);
  assert.match(JSON.stringify(fakeApi.requestsTo(SEND)[0]?.body), '"undoSeconds":5');
  assert.is(location.pathname, '/send');
  assert.is(message().value, 'Ice on the road.');
});

test('lists what the person and others sent', async () => {
  const messages = [
    { ...sent, sender: 'j.petrov', isOwn: true, allClearAt: '2026-11-20T15:02:00.000Z' },
    { ...sent, id: 'm2', isOwn: false },
    // Fieldbell's own, such as a missed check-in's.
    { ...sent, id: 'm3', sender: null, isOwn: false },
  ];
  fakeApi.reply('GET /api/sending/messages', { messages, total: 3, page: 1, limit: 10 });
  showScreen(<SentMessages />, '/sent');
  const rows = (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent);
  assert.match(
    rows[0] ?? '',
    /18 of 31 answered · 7 haven’t yet · 1 failed · 4 not reachable · 1 muted.*You sent this/,
  );
  assert.match(rows[1] ?? '', /Sent by ada\.lindqvist/);
  assert.not.match(rows[2] ?? '', /Sent by|deleted/);
  await screen.findByText(/^All clear/);
});

for (const isOwn of [true, false])
  test(`${isOwn ? 'offers changes of the person’s message' : 'only shows another’s message'}`, async () => {
    const soon = new Date(Date.now() + 3600_000).toISOString();
    fakeApi.reply('GET /api/sending/messages/:id', {
      ...sent,
      expiresAt: soon,
      isOwn,
      people: { ...sent.people, held: 1 },
    });
    fakeApi.reply('GET /api/sending/messages/:id/recipients', {
      recipients: [],
      total: 0,
      page: 1,
      limit: 10,
    });
    showScreen(<Route path="/sent/:messageId" component={SentMessageScreen} />, '/sent/m1');
    await findButton('Download all as CSV');
    if (isOwn) await findButton('Cancel message');
    assert.is(screen.queryAllByRole('button', { name: /^Notify \d+ people again/ }).length, +isOwn);
    assert.is(screen.queryAllByRole('button', { name: 'Cancel message' }).length, +isOwn);
  });

test('leads to the inbox for a message that the person may only have received', async () => {
  signInAs('TECHNICIAN');
  fakeApi.reject('GET /api/sending/messages/:id', 404, 'This message does not exist.');
  showScreen(<Route path="/sent/:messageId" component={SentMessageScreen} />, '/sent/m1');
  await waitFor(() => assert.is(location.pathname, '/messages/m1'));
});

test.run();
