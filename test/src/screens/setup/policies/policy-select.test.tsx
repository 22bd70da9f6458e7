import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { DeletePolicy } from '../../../../../src/screens/setup/policies/DeletePolicy';
import {
  PolicySelect,
  PolicyWarning,
} from '../../../../../src/screens/setup/policies/PolicySelect';
import { PolicyStepField } from '../../../../../src/screens/setup/policies/PolicyStepField';
import { toPolicy } from '../../../../../src/state/setup/policy-draft';
import {
  button,
  chooseOption,
  fakeApi,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../../support/app/app';
import { endSession, signInAs } from '../../../../support/app/session';
import { createPolicy } from '../../../../support/app/factories/setup';

const test = screenSuite('choosing a policy');
const LIST = 'GET /api/admin/policies';
test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

const list = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Escalation' });
const options = () => [...list().options].map(({ text }) => text);
const chosenOption = () => list().selectedOptions[0]?.text;
const policies = [createPolicy(1, { name: 'Storm' }), createPolicy(2, { name: 'Night' })];

test('calls an unknown policy deleted only once policies are known', async () => {
  fakeApi.reply(LIST, { policies });
  const release = fakeApi.holdReplies(LIST);
  showScreen(<PolicySelect value={5} onChoose={() => {}} />, '/');
  assert.equal([chosenOption(), list().value], ['Loading…', '5']);
  release();
  await waitFor(() => assert.is(chosenOption(), 'Deleted policy'));
  assert.equal(options(), ['None', 'Deleted policy', 'Storm', 'Night']);
});

test('lists no policy as deleted when loading fails, and offers Retry', async () => {
  fakeApi.reject(LIST, 500);
  showScreen(<PolicySelect value={2} onChoose={() => {}} />, '/');
  await screen.findByText('Failed to load policies.');
  assert.equal([chosenOption(), list().value], ['Unknown policy', '2']);
  fakeApi.reply(LIST, { policies });
  pressElement(button('Retry'));
  await waitFor(() => assert.is(chosenOption(), 'Night'));
  assert.is(screen.queryByText('Failed to load policies.'), null);
  assert.ok(screen.getByText(/^Notifies again after 2 min/), 'it is read back');
});

test('lets a message use its topic’s policy, and a topic have one or none', async () => {
  fakeApi.reply(LIST, { policies });
  const wished: (number | null | undefined)[] = [];
  const onChoose = (id: number | null | undefined) => void wished.push(id);
  showScreen(<PolicySelect value={undefined} topicIds={[9]} onChoose={onChoose} />, '/');
  await waitFor(() =>
    assert.equal(options(), ['Use the topic’s policy', 'None', 'Storm', 'Night']),
  );
  assert.is(chosenOption(), 'Use the topic’s policy');
  for (const option of ['Night', 'None', 'Use the topic’s policy']) chooseOption(list(), option);
  assert.equal(wished, [2, null, undefined]);
});

test('warns about policy steps with problems before sending, also of the topic’s policy', async () => {
  const problems = [
    { action: 'mail', problem: 'mail-not-set-up' },
    { action: 'notify', topicId: 6, problem: 'topic-empty' },
  ] as const;
  const [storm, night] = [
    createPolicy(1, { name: 'Storm', topicIds: [9] }),
    createPolicy(2, { steps: [{ after: 60, action: 'repeat' }] }),
  ];
  fakeApi.reply(LIST, { policies: [storm, night], problems: [...problems] });
  const ofTopics = (topicIds: number[], value?: number) => (
    <PolicySelect value={value} topicIds={topicIds} onChoose={() => {}} />
  );
  showScreen(ofTopics([4, 9]), '/');
  await screen.findByText('An escalation step has a problem');
  assert.ok(screen.getByText('After 10 min: Email isn’t set up. An operator can set SMTP_URL.'));
  assert.ok(screen.getByText(/^The topic’s policy is/));
  for (const fine of [ofTopics([4]), ofTopics([9], 2)]) {
    cleanup();
    showScreen(fine, '/');
    await waitFor(() => assert.ok(options().includes('Storm')));
    assert.is(screen.queryByText(/a problem/), null);
  }
  cleanup();
  showScreen(<PolicyWarning policyId={1} />, '/');
  await screen.findByText('An escalation step has a problem');
});

test('shows None for a topic without a policy', async () => {
  fakeApi.reply(LIST, { policies });
  showScreen(<PolicySelect value={null} onChoose={() => {}} />, '/');
  await waitFor(() => assert.equal(options(), ['None', 'Storm', 'Night']));
  assert.is(chosenOption(), 'None');
});

for (const [topics, words] of [
  [0, 'No topics use it. Messages already sent or scheduled keep the policy.'],
  [
    1,
    '1 topic uses it and will have no policy. Messages already sent or scheduled keep the policy.',
  ],
  [
    1200,
    '1,200 topics use it and will have no policy. Messages already sent or scheduled keep the policy.',
  ],
] as const)
  test(`warns before deleting a policy: ${words}`, () => {
    const policy = createPolicy(1, { name: 'Storm', topics });
    showScreen(<DeletePolicy policy={policy} onClose={() => {}} onSettled={() => {}} />, '/');
    const question = screen.getByRole('dialog').textContent ?? '';
    assert.ok(question.includes(`Delete the policy “Storm”? ${words}`), question);
  });

test('does not delete the policy of check-ins', () => {
  const policy = createPolicy(1, { topics: 0, isForCheckIns: true });
  showScreen(<DeletePolicy policy={policy} onClose={() => {}} onSettled={() => {}} />, '/');
  assert.ok(screen.getByText(/^Check-in alarms use this policy\./));
  assert.ok(button('Delete').disabled);
});

test('accepts minutes with a comma, to the second', () => {
  const step = { key: 1, minutes: '', action: 'repeat', topicId: '', url: '' } as const;
  const written = { key: 1, id: undefined, title: '', name: '', hasQuorum: false, quorum: '1' };
  const { steps } = toPolicy({
    ...written,
    steps: ['20', '2,5', '1.33', '9'].map((minutes) => ({ ...step, minutes })),
  });
  assert.equal(
    steps.map(({ after }) => after),
    [80, 150, 540, 1200],
  );
});

test('shows an error of the tenth step not at the first', () => {
  const steps = [1, 10].map((key) => (
    <PolicyStepField
      key={key}
      step={{ key, minutes: '3', action: 'repeat', topicId: '', url: '' }}
      number={key}
      isOnly={false}
      choices={{ topics: [], webhooks: [], getTopicTitle: () => undefined, failures: null }}
      problem={undefined}
      fault={{ sentence: 'That is too late.', fieldName: '10.after' }}
      onRemove={() => {}}
    />
  ));
  showScreen(<ol>{steps}</ol>, '/');
  const [firstElement, tenth] = screen.getAllByRole('listitem');
  assert.is(firstElement?.querySelector('[role="alert"]'), null);
  assert.is(tenth?.querySelector('[role="alert"]')?.textContent, 'That is too late.');
});

test.run();
