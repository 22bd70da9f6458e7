import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addStep,
  beginPolicy,
  changeWrittenPolicy,
  changeStep,
  discardPolicy,
  forgetPolicy,
  isPolicyChanged,
  minutesOf,
  MAX_MINUTES,
  policyOf,
  removeStep,
  settlePolicy,
  writtenPolicy,
} from '../../../../src/state/setup/writing';
import { makePolicy } from '../../../support/app/rows/setup';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('writing a policy');
test.before.each(() => void signInAs('ADMIN', { id: 7 }));
test.after.each(() => {
  discardPolicy();
  endSession();
});

const now = () => writtenPolicy.value!;
const minutes = () => now().steps.map((step) => step.minutes);
const key = (index: number) => now().steps[index]!.key;

test('each new step rings three minutes after the last one, and none later than a day', () => {
  beginPolicy();
  addStep();
  changeStep(key(0), { minutes: '20' });
  addStep();
  assert.equal(minutes(), ['20', '6', '23']);
  changeStep(key(2), { minutes: String(MAX_MINUTES - 1) });
  addStep();
  assert.is(minutes().at(-1), String(MAX_MINUTES));
  for (const { key: one } of now().steps) removeStep(one);
  addStep();
  assert.equal(minutes(), ['3']);
  changeStep(key(0), { minutes: '' });
  addStep();
  assert.equal(minutes(), ['', '3'], 'what is no number yet is no time');
  changeStep(key(0), { minutes: '12x' });
  addStep();
  assert.equal(minutes(), ['12x', '3', '6']);
});

test('a policy is told in the order of its steps, in seconds, each with what it needs alone', () => {
  beginPolicy();
  changeWrittenPolicy({ name: ' Storm ', quorum: '2' });
  changeStep(key(0), { minutes: '10', action: 'webhook', url: 'https://a.example', topicId: '5' });
  addStep();
  changeStep(key(1), { minutes: '1,5', action: 'notify', url: 'https://a.example', topicId: '5' });
  addStep();
  changeStep(key(2), { minutes: '9.99', url: 'https://a.example', topicId: '5' });
  assert.equal(policyOf(now()), {
    name: 'Storm',
    quorum: null,
    steps: [
      { after: 90, action: 'notify', topicId: 5 },
      { after: 599, action: 'repeat' },
      { after: 600, action: 'webhook', url: 'https://a.example' },
    ],
  });
  changeWrittenPolicy({ enough: true });
  assert.is(policyOf(now()).quorum, 2);
  assert.is(minutesOf({ ...now().steps[0]!, minutes: '' }), 0);
});

test('a policy that is edited is as it was until something is changed, and again once that is undone', () => {
  beginPolicy(makePolicy(3, { name: 'Storm', quorum: 4 }));
  assert.equal([now().id, now().enough, now().quorum, isPolicyChanged()], [3, true, '4', false]);
  changeWrittenPolicy({ name: 'Storms' });
  assert.ok(isPolicyChanged());
  changeWrittenPolicy({ name: 'Storm' });
  assert.not(isPolicyChanged());
  beginPolicy(makePolicy(4, { quorum: null }));
  assert.equal([now().id, now().enough, now().quorum, isPolicyChanged()], [4, false, '1', false]);
  discardPolicy();
  assert.not(isPolicyChanged());
  changeWrittenPolicy({ name: 'Nobody writes' });
  addStep();
  assert.is(writtenPolicy.value, undefined);
});

test('what was saved is done, unless it was changed meanwhile or something else was begun', () => {
  const saved = makePolicy(9, { name: 'Storm' });
  beginPolicy();
  changeWrittenPolicy({ name: 'Storm' });
  settlePolicy(now(), saved);
  assert.is(writtenPolicy.value, undefined);
  beginPolicy();
  changeWrittenPolicy({ name: 'Storm' });
  const written = now();
  changeWrittenPolicy({ quorum: '5' });
  settlePolicy(written, saved);
  assert.equal([now().id, now().title, now().quorum, isPolicyChanged()], [9, 'Storm', '5', true]);
  const another = now();
  beginPolicy();
  settlePolicy(another, saved);
  assert.is(now().id, undefined);
});

test('a policy that was deleted is written no more, and another one goes on', () => {
  beginPolicy(makePolicy(3));
  forgetPolicy(4);
  assert.is(now().id, 3);
  forgetPolicy(3);
  assert.is(writtenPolicy.value, undefined);
});

test('what one person was writing is there for them alone, after the end of their session, too', () => {
  beginPolicy();
  endSession();
  signInAs('ADMIN', { id: 7 });
  assert.ok(writtenPolicy.value);
  endSession();
  signInAs('ADMIN', { id: 8 });
  assert.is(writtenPolicy.value, undefined);
});

test.run();
