import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import type { Subscription } from '../../../../src/shared/contract';
import { UserSubscriptions } from '../../../../src/screens/user-subscriptions/UserSubscriptions';
import {
  button,
  clock,
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
import { numbersUpTo, createTopic, createUser } from '../../../support/app/factories/people';

const test = screenSuite('subscriptions of a user');
const USER = 'GET /api/admin/users/:id';
const CURRENT = 'GET /api/admin/users/:id/subscriptions';
const AVAILABLE = 'GET /api/admin/users/:id/available-topics';
const SUBSCRIBE = 'POST /api/admin/subscriptions';
const UNSUBSCRIBE = 'DELETE /api/admin/subscriptions';

const [outages, safety, depot] = [
  createTopic(1, { title: 'Outages' }),
  createTopic(2, { title: 'Safety' }),
  createTopic(3, { title: 'Depot' }),
];
const createSubscription = (
  topic: Subscription['topic'],
  createdAt = '2024-11-12T09:30:00.000Z',
): Subscription => ({ id: topic.id + 100, createdAt, topic });

function replySubscriptions(current: Subscription[], available: (typeof outages)[]) {
  fakeApi.reply(USER, createUser(42, { username: 'sana.rahimi' }));
  fakeApi.reply(CURRENT, current);
  fakeApi.reply(AVAILABLE, available);
}
const showUser = () =>
  showScreen(
    <Route path="/admin/users/:userId/subscriptions" component={UserSubscriptions} />,
    '/admin/users/42/subscriptions',
  );
async function open(current: Subscription[], available: (typeof outages)[]) {
  replySubscriptions(current, available);
  showUser();
  await screen.findByText('sana.rahimi');
}
const section = (name: string) => within(screen.getByRole('region', { name }));

test('shows a user’s role and both lists with counts', async () => {
  await open([createSubscription(outages)], [safety, depot]);
  assert.equal(
    [USER, CURRENT, AVAILABLE].map(
      (endpoint) => fakeApi.requestsTo(endpoint as typeof USER)[0].params.id,
    ),
    ['42', '42', '42'],
  );
  assert.ok(screen.getByText('Technician'));
  const current = section('Current Subscriptions (1)');
  assert.ok(current.getByText('Outages'));
  assert.ok(current.getByText('About topic 1'));
  assert.match(current.getByText(/^Subscribed/).textContent ?? '', /^Subscribed .*2024$/);
  const available = section('Available Topics (2)');
  assert.equal(
    available.getAllByRole('checkbox').map((box) => box.getAttribute('aria-labelledby')),
    ['title-2', 'title-3'],
  );
  assert.ok(available.getByRole('checkbox', { name: 'Safety' }));
  assert.is(screen.getByRole('link', { name: 'Users' }).getAttribute('href'), '/admin/users');
});

test('says when each list is empty', async () => {
  await open([], []);
  assert.ok(section('Current Subscriptions (0)').getByText('No subscriptions yet.'));
  assert.ok(section('Available Topics (0)').getByText('No available topics to subscribe to.'));
});

test('enables Subscribe once topics are picked, and subscribes to all', async () => {
  await open([], [outages, safety, depot]);
  assert.is(button('Subscribe').disabled, true);
  pressElement(screen.getByRole('checkbox', { name: 'Outages' }));
  pressElement(screen.getByRole('checkbox', { name: 'Safety' }));
  pressElement(screen.getByRole('checkbox', { name: 'Depot' }));
  pressElement(screen.getByRole('checkbox', { name: 'Safety' }));
  assert.is(screen.getByText('2 selected').getAttribute('role'), 'status');
  fakeApi.reply(SUBSCRIBE, createSubscription(outages));
  const release = fakeApi.holdReplies(SUBSCRIBE);
  pressElement(button('Subscribe'));
  assert.is(
    (await screen.findByRole<HTMLButtonElement>('button', { name: 'Subscribing…' })).disabled,
    true,
  );
  replySubscriptions([createSubscription(outages), createSubscription(depot)], [safety]);
  release();
  await notices().findByText('Subscribed to 2 topics.');
  assert.equal(
    fakeApi.requestsTo(SUBSCRIBE).map(({ body }) => body),
    [
      { userId: 42, topicId: 1 },
      { userId: 42, topicId: 3 },
    ],
  );
  await screen.findByText('Current Subscriptions (2)');
  assert.ok(screen.getByText('0 selected'));
  assert.is(button('Subscribe').disabled, true);
});

test('offers ten thousand topics fifty at a time, searched locally', async () => {
  const allTopics = numbersUpTo(10_000).map((id) => createTopic(id));
  await open(
    allTopics.map((topic) => createSubscription(topic)),
    allTopics,
  );
  assert.ok(document.querySelectorAll('*').length < 1500);
  const available = section('Available Topics (10000)');
  assert.ok(section('Current Subscriptions (10000)').getByText('1–50 of 10,000 subscriptions'));
  pressElement(available.getByRole('checkbox', { name: 'Topic 7' }));
  pressElement(available.getByRole('button', { name: 'Next' }));
  pressElement(available.getByRole('checkbox', { name: 'Topic 51' }));
  const requestCount = fakeApi.requestsTo(AVAILABLE).length;
  const foundTitles = allTopics.flatMap(({ title, description }) =>
    /99/.test(title) ? title + description : [],
  );
  typeInto(available.getByRole('searchbox', { name: 'Search Topics' }), '9 TOPIC 99');
  await clock.advance(250);
  assert.equal(
    available.getAllByRole('checkbox').map(({ parentElement }) => parentElement?.textContent),
    ['Select all 280 results', ...foundTitles.slice(0, 50)],
  );
  typeInto(available.getByRole('searchbox'), 'topic x');
  await clock.advance(250);
  assert.ok(available.getByText(/^No results for/));
  assert.is(fakeApi.requestsTo(AVAILABLE).length, requestCount);
  assert.ok(screen.getByText('2 selected'), 'picks stay, shown or not');
  fakeApi.reply(SUBSCRIBE, createSubscription(outages));
  pressElement(button('Subscribe'));
  await notices().findByText('Subscribed to 2 topics.');
  assert.equal(
    fakeApi.requestsTo(SUBSCRIBE).map(({ body }) => (body as { topicId: number }).topicId),
    [7, 51],
  );
});

test('shows the previous page after its last topic is subscribed to', async () => {
  const allTopics = numbersUpTo(51).map((id) => createTopic(id));
  await open([], allTopics);
  pressElement(button('Next'));
  pressElement(screen.getByRole('checkbox', { name: 'Topic 51' }));
  fakeApi.reply(SUBSCRIBE, createSubscription(allTopics[50]));
  replySubscriptions([createSubscription(allTopics[50])], allTopics.slice(0, 50));
  pressElement(button('Subscribe'));
  await screen.findByText('Available Topics (50)');
  assert.ok(screen.getByRole('checkbox', { name: 'Topic 50' }));
});

test('shows neither pages nor search for a handful of topics', async () => {
  await open([], [outages, safety]);
  assert.is(screen.queryByRole('searchbox'), null);
  assert.is(screen.queryByRole('navigation', { name: 'Pagination' }), null);
});

test('names and describes each topic by its text', async () => {
  await open(
    [],
    [safety, depot].map((one) => ({ ...one, description: `About ${one.title}` })),
  );
  for (const title of ['Safety', 'Depot']) {
    const box = section('Available Topics (2)').getByRole('checkbox', { name: title });
    const describedBy = box.getAttribute('aria-describedby') ?? '';
    assert.is(document.getElementById(describedBy)?.textContent, `About ${title}`);
  }
});

test('keeps a topic picked while others are subscribed', async () => {
  await open([], [outages, safety]);
  pressElement(screen.getByRole('checkbox', { name: 'Outages' }));
  fakeApi.reply(SUBSCRIBE, createSubscription(outages));
  const release = fakeApi.holdReplies(SUBSCRIBE);
  pressElement(button('Subscribe'));
  await screen.findByRole('button', { name: 'Subscribing…' });
  pressElement(screen.getByRole('checkbox', { name: 'Safety' }));
  replySubscriptions([createSubscription(outages)], [safety]);
  release();
  await screen.findByText('Available Topics (1)');
  assert.is(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Safety' }).checked, true);
});

test('reports a failed topic, and keeps it picked', async () => {
  await open([], [outages, safety]);
  fakeApi.reply(SUBSCRIBE, ({ body }) => {
    if ((body as { topicId: number }).topicId === 2) throw new TypeError('cut off');
    return createSubscription(outages);
  });
  pressElement(screen.getByRole('checkbox', { name: 'Outages' }));
  pressElement(screen.getByRole('checkbox', { name: 'Safety' }));
  fakeApi.reply(AVAILABLE, [safety]);
  pressElement(button('Subscribe'));
  await notices().findByText('Failed to subscribe user to topic.');
  assert.ok(notices().getByText('Subscribed to 1 topic.'));
  await screen.findByText('Available Topics (1)');
  assert.is(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Safety' }).checked, true);
  assert.ok(screen.getByText('1 selected'));
});

test('shows a busy unsubscription, then reads again, and undoes it', async () => {
  await open([createSubscription(outages), createSubscription(safety)], []);
  fakeApi.reply(UNSUBSCRIBE, { message: 'done' });
  const release = fakeApi.holdReplies(UNSUBSCRIBE);
  pressElement(button('Unsubscribe from Outages'));
  await waitFor(() =>
    assert.is(button('Unsubscribe from Outages').getAttribute('aria-busy'), 'true'),
  );
  assert.is(button('Unsubscribe from Outages').disabled, true);
  assert.is(button('Unsubscribe from Safety').disabled, false);
  replySubscriptions([createSubscription(safety)], [outages]);
  release();
  await screen.findByText('Available Topics (1)');
  assert.ok(notices().getByText('Unsubscribed from Outages.'));
  assert.equal(fakeApi.requestsTo(UNSUBSCRIBE)[0].body, { userId: 42, topicId: 1 });
  fakeApi.reply(SUBSCRIBE, createSubscription(outages));
  replySubscriptions([createSubscription(outages), createSubscription(safety)], []);
  pressElement(notices().getByRole('button', { name: 'Undo' }));
  await screen.findByText('Current Subscriptions (2)');
  assert.equal(fakeApi.requestsTo(SUBSCRIBE).at(-1)?.body, { userId: 42, topicId: 1 });
});

test('reports a failed unsubscription, and lets the person retry', async () => {
  await open([createSubscription(outages)], []);
  fakeApi.loseRequests(UNSUBSCRIBE);
  pressElement(button('Unsubscribe from Outages'));
  await notices().findByText('Failed to unsubscribe user from topic.');
  assert.is(button('Unsubscribe from Outages').disabled, false);
});

test('shows a missing user as final, with a way back', async () => {
  replySubscriptions([], []);
  fakeApi.reject(USER, 404, 'This user does not exist.');
  showUser();
  await screen.findByText('This user does not exist.');
  assert.ok(screen.getByRole('link', { name: 'Users' }));
  assert.is(screen.queryByRole('button', { name: 'Retry' }), null);
});

test('shows failed data with Retry, and keeps the lists on a later failure', async () => {
  replySubscriptions([], []);
  fakeApi.loseRequests(AVAILABLE);
  showUser();
  await screen.findByText('Failed to fetch user data.');
  replySubscriptions([createSubscription(outages)], []);
  pressElement(button('Retry'));
  await screen.findByText('sana.rahimi');
  fakeApi.reply(UNSUBSCRIBE, { message: 'done' });
  fakeApi.loseRequests(CURRENT);
  pressElement(button('Unsubscribe from Outages'));
  await screen.findByText('Failed to fetch user data.');
  assert.ok(screen.getByText('Current Subscriptions (1)'));
});

test.run();
