import * as assert from 'uvu/assert';
import { Topics } from '../../../../src/screens/topics/Topics';
import {
  button,
  clock,
  dialog,
  fakeApi,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import {
  numbersUpTo,
  createSubscriber,
  createTopic,
  topicPages,
} from '../../../support/app/factories/people';

const test = screenSuite('subscribers');
const LIST = 'GET /api/admin/topics/:id/subscribers';
const UNSUBSCRIBE = 'DELETE /api/admin/topics/:id/subscribers';

async function open(subscribers: ReturnType<typeof createSubscriber>[]) {
  fakeApi.reply(
    'GET /api/admin/topics',
    topicPages([createTopic(7, { title: 'Outages' }), createTopic(8, { title: 'Safety' })]),
  );
  fakeApi.reply(LIST, subscribers);
  showScreen(<Topics />, '/admin/topics');
  pressElement(await screen.findByRole('button', { name: 'Subscribers of Outages' }));
  await screen.findByRole('dialog');
  await dialog().findByRole('table');
}
const names = () =>
  dialog()
    .getAllByRole('rowheader')
    .map(({ textContent }) => textContent);
const unsubscribeDialog = () => within(screen.getByRole('dialog', { name: /^Unsubscribe/ }));

test('finds subscribers by every word in name, role or status, locally', async () => {
  await open([
    ...numbersUpTo(12).map((id) => createSubscriber(id)),
    createSubscriber(20, { user: { id: 20, username: 'Åsa Ölund', role: 'CUSTOMER' } }),
    createSubscriber(21, { notificationStatus: 'no_devices' }),
  ]);
  const field = dialog().getByRole('searchbox', { name: 'Search Subscribers' });
  for (const [query, found] of [
    ['ölund ÅSA', ['Åsa Ölund']],
    ['customer', ['Åsa Ölund']],
    ['devices technician NO', ['user21']],
    ['customer user21', []],
    ['%', []],
  ] as const) {
    typeInto(field, query);
    await clock.advance(250);
    assert.equal(dialog().queryAllByRole('rowheader').length ? names() : [], found, query);
  }
  assert.ok(dialog().getByText(/^No results for/));
  assert.is(fakeApi.requestsTo(LIST).length, 1);
});

test('unsubscribes a page’s selection at once, from this topic by default', async () => {
  const subscribers = numbersUpTo(60).map((id) => createSubscriber(id));
  await open(subscribers);
  pressElement(dialog().getByRole('checkbox', { name: 'Select all on this page' }));
  assert.ok(dialog().getByText('50 of 60 selected'));
  pressElement(dialog().getByRole('checkbox', { name: 'Select user3' }));
  fakeApi.reply(UNSUBSCRIBE, { changed: 49, unchanged: 0 });
  pressElement(button('Unsubscribe 49 from…'));
  await screen.findByRole('dialog', { name: 'Unsubscribe 49 people' });
  const outages = await unsubscribeDialog().findByRole<HTMLInputElement>('checkbox', {
    name: 'Outages',
  });
  assert.is(outages.checked, true);
  fakeApi.reply(LIST, [subscribers[2]!]);
  pressElement(unsubscribeDialog().getByRole('button', { name: 'Unsubscribe' }));
  await notices().findByText('49 people unsubscribed from Outages.');
  assert.equal(
    fakeApi.requestsTo(UNSUBSCRIBE).map(({ params, body }) => [params.id, body]),
    [['7', { userIds: numbersUpTo(50).filter((id) => id !== 3) }]],
  );
  await waitFor(() => assert.equal(names(), ['user3']));
});

test('offers no selection when the server does not identify subscribers', async () => {
  await open([createSubscriber(1, { user: { username: 'ana', role: 'TECHNICIAN' } })]);
  assert.equal(dialog().queryAllByRole('checkbox'), []);
  assert.equal(names(), ['ana']);
});

test.run();
