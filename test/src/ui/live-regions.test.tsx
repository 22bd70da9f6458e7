/** Screen readers announce changes only inside a live region that existed before. */
import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import type { ReactElement } from 'react';
import { Login } from '../../../src/screens/auth/Login';
import { Register } from '../../../src/screens/auth/Register';
import { RequestReset } from '../../../src/screens/auth/RequestReset';
import { ResetPassword } from '../../../src/screens/auth/ResetPassword';
import { TopicForm } from '../../../src/screens/topics/TopicForm';
import { UserForm } from '../../../src/screens/users/UserForm';
import { notify } from '../../../src/ui/notices';
import { fakeApi, notices, screen, screenSuite, showScreen } from '../../support/app/app';
import { shortPause } from '../../support/eventually';

const test = screenSuite('live regions');
const doNothing = () => {};

test('announces outcomes in a status that exists beforehand', async () => {
  showScreen(<></>, '/');
  const [place] = screen.getAllByRole('status');
  assert.is(place.textContent, '');
  notify('Topic added.');
  await notices().findByText('Topic added.');
  assert.ok(place.isConnected && place.contains(screen.getByText('Topic added.')));
  assert.is(place.getAttribute('aria-atomic'), 'false', 'only new text is read out');
});

test('forgets a message with its place, and with its screen', async () => {
  showScreen(<></>, '/');
  notify(<b>Registration link created!</b>);
  await notices().findByText('Registration link created!');
  cleanup();
  showScreen(<></>, '/');
  await shortPause(); // waits for nothing to appear
  assert.is(notices().queryByText('Registration link created!'), null);
});

const FORMS: Record<string, ReactElement> = {
  login: <Login />,
  registration: <Register token="t" />,
  'asking for a reset link': <RequestReset />,
  'a new password': <ResetPassword token="t" />,
  'a topic': <TopicForm onClose={doNothing} onDone={doNothing} />,
  'a user': <UserForm onClose={doNothing} onDone={doNothing} />,
};
for (const [name, form] of Object.entries(FORMS)) {
  test(`has an error region in the form for ${name} beforehand`, () => {
    for (const call of [
      'GET /api/auth/registration/:token',
      'GET /api/auth/password-rules',
    ] as const)
      fakeApi.reject(call, 404);
    showScreen(form, '/');
    const [place] = screen.getAllByRole('alert');
    assert.is(place.textContent, '');
    assert.ok(place.closest('form'));
  });
}

test.run();
