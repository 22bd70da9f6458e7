import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addStep,
  beginPolicyDraft,
  changePolicyDraft,
  changeStep,
  discardPolicyDraft,
  discardDraftOfPolicy,
  isPolicyChanged,
  parseStepMinutes,
  MAX_STEP_MINUTES,
  toPolicy,
  removeStep,
  applySavedPolicy,
  policyDraft,
} from '../../../../src/state/setup/policy-draft';
import { createPolicy } from '../../../support/app/factories/setup';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('writing a policy');
test.before.each(() => void signInAs('ADMIN', { id: 7 }));
test.after.each(() => {
  discardPolicyDraft();
  endSession();
});

const currentDraft = () => policyDraft.value!;
const stepMinutes = () => currentDraft().steps.map((step) => step.minutes);
const stepKey = (index: number) => currentDraft().steps[index]!.key;

test('spaces new steps by three minutes, within a day', () => {
  beginPolicyDraft();
  addStep();
  changeStep(stepKey(0), { minutes: '20' });
  addStep();
  assert.equal(stepMinutes(), ['20', '6', '23']);
  changeStep(stepKey(2), { minutes: String(MAX_STEP_MINUTES - 1) });
  addStep();
  assert.is(stepMinutes().at(-1), String(MAX_STEP_MINUTES));
  for (const { key: one } of currentDraft().steps) removeStep(one);
  addStep();
  assert.equal(stepMinutes(), ['3']);
  changeStep(stepKey(0), { minutes: '' });
  addStep();
  assert.equal(stepMinutes(), ['', '3'], 'an unfinished number is no time');
  changeStep(stepKey(0), { minutes: '12x' });
  addStep();
  assert.equal(stepMinutes(), ['12x', '3', '6']);
});

test('writes steps in order, in seconds, with only the fields they need', () => {
  beginPolicyDraft();
  changePolicyDraft({ name: ' Storm ', quorum: '2' });
  changeStep(stepKey(0), {
    minutes: '10',
    action: 'webhook',
    url: 'https://a.example',
    topicId: '5',
  });
  addStep();
  changeStep(stepKey(1), {
    minutes: '1,5',
    action: 'notify',
    url: 'https://a.example',
    topicId: '5',
  });
  addStep();
  changeStep(stepKey(2), { minutes: '9.99', url: 'https://a.example', topicId: '5' });
  assert.equal(toPolicy(currentDraft()), {
    name: 'Storm',
    quorum: null,
    steps: [
      { after: 90, action: 'notify', topicId: 5 },
      { after: 599, action: 'repeat' },
      { after: 600, action: 'webhook', url: 'https://a.example' },
    ],
  });
  changePolicyDraft({ hasQuorum: true });
  assert.is(toPolicy(currentDraft()).quorum, 2);
  assert.is(parseStepMinutes({ ...currentDraft().steps[0]!, minutes: '' }), 0);
});

test('compares an edited policy with its saved form', () => {
  beginPolicyDraft(createPolicy(3, { name: 'Storm', quorum: 4 }));
  assert.equal(
    [currentDraft().id, currentDraft().hasQuorum, currentDraft().quorum, isPolicyChanged()],
    [3, true, '4', false],
  );
  changePolicyDraft({ name: 'Storms' });
  assert.ok(isPolicyChanged());
  changePolicyDraft({ name: 'Storm' });
  assert.not(isPolicyChanged());
  beginPolicyDraft(createPolicy(4, { quorum: null }));
  assert.equal(
    [currentDraft().id, currentDraft().hasQuorum, currentDraft().quorum, isPolicyChanged()],
    [4, false, '1', false],
  );
  discardPolicyDraft();
  assert.not(isPolicyChanged());
  changePolicyDraft({ name: 'Unattended' });
  addStep();
  assert.is(policyDraft.value, undefined);
});

test('clears a saved draft unless it changed or another began', () => {
  const saved = createPolicy(9, { name: 'Storm' });
  beginPolicyDraft();
  changePolicyDraft({ name: 'Storm' });
  applySavedPolicy(currentDraft(), saved);
  assert.is(policyDraft.value, undefined);
  beginPolicyDraft();
  changePolicyDraft({ name: 'Storm' });
  const written = currentDraft();
  changePolicyDraft({ quorum: '5' });
  applySavedPolicy(written, saved);
  assert.equal(
    [currentDraft().id, currentDraft().title, currentDraft().quorum, isPolicyChanged()],
    [9, 'Storm', '5', true],
  );
  const another = currentDraft();
  beginPolicyDraft();
  applySavedPolicy(another, saved);
  assert.is(currentDraft().id, undefined);
});

test('closes the draft of a deleted policy, and no other', () => {
  beginPolicyDraft(createPolicy(3));
  discardDraftOfPolicy(4);
  assert.is(currentDraft().id, 3);
  discardDraftOfPolicy(3);
  assert.is(policyDraft.value, undefined);
});

test('keeps a draft for its person alone, also after the session', () => {
  beginPolicyDraft();
  endSession();
  signInAs('ADMIN', { id: 7 });
  assert.ok(policyDraft.value);
  endSession();
  signInAs('ADMIN', { id: 8 });
  assert.is(policyDraft.value, undefined);
});

test.run();
