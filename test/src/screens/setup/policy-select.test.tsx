/** Choosing a policy for a topic or a message, and one step of a policy by itself. */
import * as assert from 'uvu/assert';
import { PolicySelect } from '../../../../src/screens/setup/PolicySelect';
import { Step } from '../../../../src/screens/setup/Step';
import {
  button,
  choose,
  fakeApi,
  press,
  screen,
  screenSuite,
  show,
  waitFor,
} from '../../../support/app/app';
import { endSession, signInAs } from '../../../support/app/session';
import { makePolicy } from '../../../support/server/setup';

const test = screenSuite('choosing a policy');
const LIST = 'GET /api/admin/policies';
test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

const list = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Escalation' });
const options = () => [...list().options].map(({ text }) => text);
const chosen = () => list().selectedOptions[0]?.text;
const policies = [makePolicy(1, { name: 'Storm' }), makePolicy(2, { name: 'Night' })];

test('one that is not among the policies is called deleted once they are known, and by its number before', async () => {
  fakeApi.answer(LIST, { policies });
  const release = fakeApi.hold(LIST);
  show(<PolicySelect value={5} onChoose={() => {}} />, '/');
  assert.equal([chosen(), list().value], ['Policy 5', '5']);
  release();
  await waitFor(() => assert.is(chosen(), 'A policy that was deleted'));
  assert.equal(options(), ['None', 'A policy that was deleted', 'Storm', 'Night']);
});

test('where the policies cannot be read none is called deleted, and Retry reads them', async () => {
  fakeApi.refuse(LIST, 500);
  show(<PolicySelect value={2} onChoose={() => {}} />, '/');
  await screen.findByText('Failed to fetch policies.');
  assert.equal([chosen(), list().value], ['Policy 2', '2']);
  fakeApi.answer(LIST, { policies });
  press(button('Retry'));
  await waitFor(() => assert.is(chosen(), 'Night'));
  assert.is(screen.queryByText('Failed to fetch policies.'), null);
  assert.ok(screen.getByText(/^Rings again after 2 min/), 'it is read back');
});

test('a message may leave it to its topic, a topic has one or none', async () => {
  fakeApi.answer(LIST, { policies });
  const wished: (number | null | undefined)[] = [];
  const onChoose = (id: number | null | undefined) => void wished.push(id);
  show(<PolicySelect value={undefined} ofMessage onChoose={onChoose} />, '/');
  await waitFor(() => assert.equal(options(), ['As the topic says', 'None', 'Storm', 'Night']));
  assert.is(chosen(), 'As the topic says');
  for (const option of ['Night', 'None', 'As the topic says']) choose(list(), option);
  assert.equal(wished, [2, null, undefined]);
});

test('a topic without one has None', async () => {
  fakeApi.answer(LIST, { policies });
  show(<PolicySelect value={null} onChoose={() => {}} />, '/');
  await waitFor(() => assert.equal(options(), ['None', 'Storm', 'Night']));
  assert.is(chosen(), 'None');
});

test('what is wrong with the tenth step is not said at the first', () => {
  const steps = [1, 10].map((key) => (
    <Step
      key={key}
      step={{ key, minutes: '3', action: 'repeat', topicId: '', url: '' }}
      number={key}
      isOnly={false}
      choices={{ topics: [], webhooks: [], topicOf: () => undefined, failures: null }}
      fault={{ sentence: 'That is too late.', about: '10.after' }}
      onRemove={() => {}}
    />
  ));
  show(<ol>{steps}</ol>, '/');
  const [first, tenth] = screen.getAllByRole('listitem');
  assert.is(first?.querySelector('[role="alert"]'), null);
  assert.is(tenth?.querySelector('[role="alert"]')?.textContent, 'That is too late.');
});

test.run();
