import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addStep,
  begin,
  change,
  changeStep,
  discard,
  forget,
  isChanged,
  minutesOf,
  MAX_MINUTES,
  policyOf,
  removeStep,
  restore,
  settle,
  writing,
} from '../../../../src/state/setup/writing';
import { makePolicy } from '../../../support/app/rows/setup';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('writing a policy');
test.before.each(() => void signInAs('ADMIN', { id: 7 }));
test.after.each(() => {
  discard();
  endSession();
});

const now = () => writing.value!;
const minutes = () => now().steps.map((step) => step.minutes);
const key = (index: number) => now().steps[index]!.key;

test('each new step rings three minutes after the last one, and none later than a day', () => {
  begin();
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
  begin();
  change({ name: ' Storm ', quorum: '2' });
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
  change({ enough: true });
  assert.is(policyOf(now()).quorum, 2);
  assert.is(minutesOf({ ...now().steps[0]!, minutes: '' }), 0);
});

test('a policy that is edited is as it was until something is changed, and again once that is undone', () => {
  begin(makePolicy(3, { name: 'Storm', quorum: 4 }));
  assert.equal([now().id, now().enough, now().quorum, isChanged()], [3, true, '4', false]);
  change({ name: 'Storms' });
  assert.ok(isChanged());
  change({ name: 'Storm' });
  assert.not(isChanged());
  begin(makePolicy(4, { quorum: null }));
  assert.equal([now().id, now().enough, now().quorum, isChanged()], [4, false, '1', false]);
  discard();
  assert.not(isChanged());
  change({ name: 'Nobody writes' });
  addStep();
  assert.is(writing.value, undefined);
});

test('what was saved is done, unless it was changed meanwhile or something else was begun', () => {
  const saved = makePolicy(9, { name: 'Storm' });
  begin();
  change({ name: 'Storm' });
  settle(now(), saved);
  assert.is(writing.value, undefined);
  begin();
  change({ name: 'Storm' });
  const written = now();
  change({ quorum: '5' });
  settle(written, saved);
  assert.equal([now().id, now().title, now().quorum, isChanged()], [9, 'Storm', '5', true]);
  const another = now();
  begin();
  settle(another, saved);
  assert.is(now().id, undefined);
});

test('a policy that was deleted is written no more, and another one goes on', () => {
  begin(makePolicy(3));
  forget(4);
  assert.is(now().id, 3);
  forget(3);
  assert.is(writing.value, undefined);
});

test('what one person was writing is there for them alone, after the end of their session, too', () => {
  begin();
  endSession();
  signInAs('ADMIN', { id: 7 });
  restore();
  assert.ok(writing.value);
  endSession();
  signInAs('ADMIN', { id: 8 });
  restore();
  assert.is(writing.value, undefined);
});

test.run();
