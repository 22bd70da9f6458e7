import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../src/shared/contract';
import { Register } from '../../../src/screens/auth/Register';
import { TopicForm } from '../../../src/screens/topics/TopicForm';
import { UserForm } from '../../../src/screens/users/UserForm';
import {
  button,
  fakeApi,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../support/app/app';
import { createTopic, createUser } from '../../support/app/factories/people';

const test = screenSuite('calls that make something');

/** Fills fields by label, presses the button, and waits until it is back. */
async function send(fields: Record<string, string>, action: string): Promise<void> {
  for (const [label, text] of Object.entries(fields)) typeInto(screen.getByLabelText(label), text);
  pressElement(button(action));
  await waitFor(() => assert.is(button(action).disabled, false));
}
const keys = (endpoint: Endpoint) =>
  fakeApi.requestsTo(endpoint).map(({ headers }) => headers.get('Idempotency-Key'));

/** A call made three times, whose first answer is lost. */
async function tryThrice(
  endpoint: Endpoint,
  reply: () => void,
  add: () => Promise<void>,
): Promise<void> {
  fakeApi.loseRequests(endpoint);
  await add();
  reply();
  await add();
  await add();
  const [first, again, next] = keys(endpoint);
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.is(again, first);
  assert.is.not(next, first, 'the previous one is known to be added');
}

test('retries a topic with the same key after a lost response, until it is added', async () => {
  const ADD = 'POST /api/admin/topics';
  let addedCount = 0;
  showScreen(
    <TopicForm onClose={() => undefined} onDone={() => (addedCount += 1)} />,
    '/admin/topics',
  );
  await tryThrice(
    ADD,
    () => fakeApi.reply(ADD, createTopic(2)),
    () => send({ Title: 'Safety', Description: 'Bulletins' }, 'Add Topic'),
  );
  assert.is(addedCount, 2);
});

test('retries a user with the same key after a lost response, until it is added', async () => {
  const ADD = 'POST /api/admin/users';
  let addedCount = 0;
  showScreen(
    <UserForm onClose={() => undefined} onDone={() => (addedCount += 1)} />,
    '/admin/users',
  );
  const body = { user: createUser(2), registrationLink: 'https://bell.example/register/x' };
  await tryThrice(
    ADD,
    () => fakeApi.reply(ADD, body),
    () => send({ Username: 'ana' }, 'Add User'),
  );
  assert.is(addedCount, 2);
});

test('retries a registration with the same key while nothing in it changes', async () => {
  const REGISTER = 'POST /api/auth/complete-registration';
  fakeApi.reject('GET /api/auth/registration/:token', 404);
  showScreen(<Register token="t-1" />, '/register/t-1');
  fakeApi.loseRequests(REGISTER);
  for (const password of ['bell-tower-9', 'bell-tower-9', 'bell-tower-10']) {
    await send(
      { Email: 'm@northgrid.example', 'New password': password, 'Confirm password': password },
      'Set Password & Activate',
    );
  }
  const [first, again, changed] = keys(REGISTER);
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.is(again, first);
  assert.is.not(changed, first);
});

/** Calls answered by the test, in its order. */
function replyByHand(endpoint: Endpoint) {
  const waiting: { reply: (value: unknown) => void; lose: () => void }[] = [];
  fakeApi.reply(
    endpoint,
    () =>
      new Promise<never>((reply, reject) =>
        waiting.push({
          reply: reply as (value: unknown) => void,
          lose: () => reject(new TypeError('cut off')),
        }),
      ),
  );
  return { waiting, arrived: (count: number) => waitFor(() => assert.is(waiting.length, count)) };
}
const ADD_TOPIC = 'POST /api/admin/topics';
function addTopic(title: string): void {
  typeInto(screen.getByLabelText('Title'), title);
  typeInto(screen.getByLabelText('Description'), 'Bulletins');
  pressElement(screen.getByRole('button', { name: 'Add Topic' }));
}
/** Opens another dialog while the first answer is pending. */
function openSecondDialog(): void {
  cleanup();
  showScreen(<TopicForm onClose={() => undefined} onDone={() => undefined} />, '/admin/topics');
}

test('keeps a topic’s key while six others are added', async () => {
  const { waiting, arrived } = replyByHand(ADD_TOPIC);
  const titles = ['Safety', 'Outages', 'Storms', 'Roads', 'Water', 'Gas', 'Ferries'];
  for (const [index, title] of titles.entries()) {
    openSecondDialog();
    addTopic(title);
    await arrived(index + 1);
  }
  for (const { reply } of waiting.slice(1).reverse()) reply(createTopic(2));
  waiting[0].lose();
  await notices().findByText('Failed to add topic.');
  for (const _ of [2, 3]) {
    openSecondDialog();
    fakeApi.loseRequests(ADD_TOPIC);
    addTopic('Safety');
    await screen.findByText('Failed to add topic.', { selector: '[role="alert"]' });
  }
  const [first, ...others] = keys(ADD_TOPIC);
  assert.is(new Set([first, ...others.slice(0, 6)]).size, 7, 'each request has its own key');
  assert.equal(others.slice(6), [first, first], 'the second and third attempt share a key');
});

test('gives a topic its former key when the title is changed back', async () => {
  openSecondDialog();
  fakeApi.loseRequests(ADD_TOPIC);
  for (const title of ['Safety', 'Outages', 'Safety', 'Outages']) {
    addTopic(title);
    await waitFor(() => assert.is(button('Add Topic').disabled, false));
  }
  const [safety, outages, safetyAgain, outagesAgain] = keys(ADD_TOPIC);
  assert.is.not(safety, outages);
  assert.equal([safetyAgain, outagesAgain], [safety, outages]);
});

test.run();
