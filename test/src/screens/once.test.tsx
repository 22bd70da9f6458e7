import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../src/contract';
import { Register } from '../../../src/screens/Register';
import { TopicForm } from '../../../src/screens/TopicForm';
import { UserForm } from '../../../src/screens/UserForm';
import { button, fakeApi, press, screen, screenSuite, show, type, waitFor } from '../../support/app';
import { makeTopic, makeUser } from '../../support/people';

const test = screenSuite('calls that make something');

/** Fills the fields by their labels, and presses the button, which is back when there was an answer or none. */
async function send(fields: Record<string, string>, action: string): Promise<void> {
  for (const [label, text] of Object.entries(fields)) type(screen.getByLabelText(label), text);
  press(button(action));
  await waitFor(() => assert.is(button(action).disabled, false));
}
const keys = (endpoint: Endpoint) => fakeApi.asked(endpoint).map(({ headers }) => headers.get('Idempotency-Key'));

/** A call whose first answer is lost, and which is made three times. */
async function tryThrice(endpoint: Endpoint, answer: () => void, add: () => Promise<void>): Promise<void> {
  fakeApi.lose(endpoint);
  await add();
  answer();
  await add();
  await add();
  const [first, again, next] = keys(endpoint);
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.is(again, first);
  assert.is.not(next, first, 'it is known that the one before was added');
}

test('a topic whose answer was lost can be added again under the same key, until it was added', async () => {
  const ADD = 'POST /api/admin/topics';
  let added = 0;
  show(<TopicForm onClose={() => undefined} onDone={() => (added += 1)} />, '/admin/topics');
  await tryThrice(ADD, () => fakeApi.answer(ADD, makeTopic(2)), () => send({ Title: 'Safety', Description: 'Bulletins' }, 'Add Topic'));
  assert.is(added, 2);
});

test('so can a user', async () => {
  const ADD = 'POST /api/admin/users';
  let added = 0;
  show(<UserForm onClose={() => undefined} onDone={() => (added += 1)} />, '/admin/users');
  const answer = { user: makeUser(2), registrationLink: 'https://bell.example/register/x' };
  await tryThrice(ADD, () => fakeApi.answer(ADD, answer), () => send({ Username: 'ana' }, 'Add User'));
  assert.is(added, 2);
});

test('a registration whose answer was lost can be sent again under the same key, as long as nothing in it changes', async () => {
  const REGISTER = 'POST /api/auth/complete-registration';
  show(<Register token="t-1" />, '/register/t-1');
  fakeApi.lose(REGISTER);
  for (const password of ['bell-tower-9', 'bell-tower-9', 'bell-tower-10']) {
    await send({ Email: 'm@northgrid.example', 'New password': password, 'Confirm password': password }, 'Set Password & Activate');
  }
  const [first, again, changed] = keys(REGISTER);
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.is(again, first);
  assert.is.not(changed, first);
});

test.run();
