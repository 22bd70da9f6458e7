import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SentMessage } from '../../../../../src/shared/contract';
import {
  canNotifyAgain,
  canCancel,
  canCorrect,
  canGiveAllClear,
  isFullyAnswered,
} from '../../../../../src/screens/sent/message/allowed-changes';
import {
  canBeNotified,
  needsAdvice,
  describeRecipientState,
} from '../../../../../src/screens/sent/message/recipient-texts';
import { describeMessageState } from '../../../../../src/screens/sent/state-texts';
import {
  answeredText,
  safeLink,
  sentTitle,
  audienceText,
  recipientsText,
  hasEnded,
} from '../../../../../src/screens/sent/message-texts';
import {
  minutesAfterSending,
  createEscalation,
  createNextStep,
  createStep,
} from '../../../../support/app/factories/escalation';
import { createRecipient, createSentMessage } from '../../../../support/app/factories/people';

const test = suite('what is left of a message');
const withoutAnswers = { answers: [] };
const inAnHour = new Date(Date.now() + 3600_000).toISOString();
const aSecondAgo = new Date(Date.now() - 1000).toISOString();

test('is complete once everyone answered, or read it if no answer was requested', () => {
  const people = { total: 3, displayed: 3, read: 3, acknowledged: 2 };
  assert.not(isFullyAnswered(createSentMessage('a', { people })));
  assert.ok(isFullyAnswered(createSentMessage('a', { people: { ...people, acknowledged: 3 } })));
  assert.ok(isFullyAnswered(createSentMessage('a', { ...withoutAnswers, people })));
  assert.not(
    isFullyAnswered(createSentMessage('a', { ...withoutAnswers, people: { ...people, read: 2 } })),
  );
  assert.not(
    isFullyAnswered(createSentMessage('a', { people: { total: 0, read: 0, acknowledged: 0 } })),
  );
});

test('notifies no one when canceled, expired or still scheduled', () => {
  for (const [change, ended, rings] of [
    [{}, false, true],
    [{ state: 'sending' }, false, true],
    [{ state: 'scheduled' }, false, false],
    [{ state: 'cancelled' }, true, false],
    [{ state: 'resolved' }, true, false],
    [{ state: 'expired' }, true, false],
    [{ expiresAt: aSecondAgo }, true, false],
  ] as const) {
    const message = createSentMessage('a', change);
    assert.equal(
      [hasEnded(message), canNotifyAgain(message)],
      [ended, rings],
      JSON.stringify(change),
    );
  }
});

test('can be stopped while unsent, held or escalating', () => {
  const over = createEscalation({ steps: [createStep(), createStep()] });
  const withPendingStep = createEscalation({ steps: [createStep(), createNextStep(10)] });
  const stopped = createEscalation({
    stopped: 'quorum',
    stoppedAt: minutesAfterSending(3),
    steps: [createNextStep(10)],
  });
  const held = { people: { held: 1 } };
  const checkIn = { username: 'a', needsAnswer: true, answeredAt: null, endedAt: null };
  for (const [change, escalation, can] of [
    [{}, undefined, false],
    [{}, null, false],
    [{}, over, false],
    [{}, withPendingStep, true],
    [{}, stopped, false],
    [{ expiresAt: aSecondAgo }, withPendingStep, false],
    [held, null, true],
    [{ ...held, expiresAt: aSecondAgo }, null, false],
    [{ state: 'cancelled', ...held }, withPendingStep, false],
    [{ state: 'scheduled' }, null, true],
    [{ state: 'sending' }, over, true],
    [{ state: 'sending', checkIn }, withPendingStep, false],
    [{ checkIn: { ...checkIn, endedAt: aSecondAgo } }, withPendingStep, true],
  ] as const)
    assert.is(
      canCancel(createSentMessage('a', change), escalation),
      can,
      JSON.stringify([change, escalation]),
    );
});

test('can be corrected until the all-clear, except the open alarm of a check-in', () => {
  const checkIn = { username: 'a', needsAnswer: true, answeredAt: null, endedAt: null };
  for (const [change, can] of [
    [{}, [true, true]],
    [{ allClearAt: aSecondAgo }, [false, false]],
    [{ checkIn }, [false, true]],
    [{ checkIn: { ...checkIn, endedAt: aSecondAgo } }, [true, true]],
  ] as const) {
    const message = createSentMessage('a', { revision: 1, ...change });
    assert.equal([canCorrect(message), canGiveAllClear(message)], can, JSON.stringify(change));
  }
});

test('notifies reachable people again who have not answered, and advises others', () => {
  const [asks, asksNothing] = [createSentMessage('a'), createSentMessage('b', withoutAnswers)];
  const listAllowedStates = (message: SentMessage) =>
    (
      [
        'unreachable',
        'muted',
        'held',
        'pending',
        'failed',
        'accepted',
        'displayed',
        'read',
        'acknowledged',
      ] as const
    ).filter((state) => canBeNotified(createRecipient(1, state), message));
  assert.equal(listAllowedStates(asks), ['failed', 'accepted', 'displayed', 'read']);
  assert.equal(listAllowedStates(asksNothing), ['failed', 'accepted', 'displayed']);
  const pending = {
    user: { id: 1, username: 'a', role: 'TECHNICIAN', status: 'PENDING' },
  } as const;
  assert.ok(needsAdvice(createRecipient(1, 'unreachable')));
  assert.ok(needsAdvice(createRecipient(1, 'failed')));
  assert.not(needsAdvice(createRecipient(1, 'unreachable', pending)));
  assert.not(needsAdvice(createRecipient(1, 'displayed')));
  assert.is(
    describeRecipientState(createRecipient(1, 'unreachable', pending), asks).why,
    'Hasn’t registered yet',
  );
  assert.equal(describeRecipientState(createRecipient(1, 'read'), asksNothing), {
    shown: 'read',
    name: 'Read',
    why: '-',
  });
  assert.is(
    describeRecipientState(createRecipient(1, 'acknowledged', { answer: '', late: true }), asks)
      .why,
    '- (late)',
  );
  assert.is(
    describeRecipientState(createRecipient(1, 'constructor' as never), asks).name,
    'constructor',
  );
  for (const [failure, why] of [
    ['gone', 'The push service no longer recognizes the device'],
    ['constructor', 'No push service accepted the message'],
  ])
    assert.is(
      describeRecipientState(createRecipient(1, 'failed', { failure: failure as never }), asks).why,
      why,
    );
});

test('says until when people are held unless the message expires earlier', () => {
  const message = createSentMessage('a', { expiresAt: inAnHour });
  const held = (heldUntil: string | null) => createRecipient(1, 'held', { heldUntil });
  const why = (until: string | null, of = message) => describeRecipientState(held(until), of).why;
  const sooner = new Date(Date.parse(inAnHour) - 60_000).toISOString();
  const NEVER = 'The message expires before their quiet hours end';
  assert.match(why(sooner), /^Held until \d\d:\d\d$/);
  assert.is(why(inAnHour), NEVER);
  assert.is(why(null), 'Held until their quiet hours end');
  const over = createSentMessage('a', { expiresAt: aSecondAgo });
  assert.equal(describeRecipientState(held(sooner), over), {
    shown: 'failed',
    name: 'Failed',
    why: NEVER,
  });
});

test('names a message by its title or first topic, with its recipients', () => {
  const topics = ['North', 'South', 'East'].map((title, index) => ({ id: index, title }));
  const message = createSentMessage('a', { topics, title: 'Storm' });
  assert.equal(
    [sentTitle(message), recipientsText(message), audienceText(message)],
    ['Storm', 'North + 2', 'North, South and East'],
  );
  const messageToTwo = createSentMessage('a', { topics: topics.slice(0, 2) });
  assert.equal(
    [sentTitle(messageToTwo), recipientsText(messageToTwo), audienceText(messageToTwo)],
    ['North', 'North + 1', 'North and South'],
  );
  const older = createSentMessage('a', { topics: [] });
  assert.equal(
    [sentTitle(older), recipientsText(older), audienceText(older)],
    Array(3).fill('Storm warnings'),
  );
  const alone = createSentMessage('a', { topics: [], topic: null, people: { total: 1 } });
  assert.equal(
    [sentTitle(alone), recipientsText(alone), audienceText(alone)],
    ['Stop all work on poles.', '1 person', '1 person'],
  );
  const toTeam = createSentMessage('a', {
    topics: topics.slice(0, 1),
    teams: [{ id: 1, name: 'Crew' }],
  });
  assert.equal(
    [sentTitle(toTeam), recipientsText(toTeam), audienceText(toTeam)],
    ['North', 'North + 1', 'North and Crew'],
  );
});

test('accepts only app paths and https addresses as links', () => {
  const link = (text: string | null) => safeLink(createSentMessage('a', { link: text }));
  for (const good of ['/topics', 'https://a.example', '/']) assert.is(link(good), good);
  for (const bad of ['//a.example', '/\\a.example', 'http://a.example', 'x/https://a', null])
    assert.is(link(bad), '', String(bad));
});

test('says in a list how many answered, and how many are not reachable', () => {
  const noneUnseen = { unreachable: 0, muted: 0, held: 0, pending: 0, accepted: 0, failed: 0 };
  const oneAnswered = { ...noneUnseen, total: 3, displayed: 1, read: 1, acknowledged: 1 };
  const allDisplayed = { ...oneAnswered, displayed: 3, read: 2 };
  const says = (change: Parameters<typeof createSentMessage>[1]) => {
    const message = createSentMessage('a', change);
    return [
      answeredText(message),
      describeMessageState(message).name,
      describeMessageState(message).tone,
    ];
  };
  assert.equal(says({ people: allDisplayed }), ['1 of 3 answered', 'Sent', undefined]);
  assert.equal(says({ ...withoutAnswers, people: allDisplayed }), [
    '2 of 3 read',
    'Sent',
    undefined,
  ]);
  assert.equal(says({ people: { ...oneAnswered, accepted: 2 } }), [
    '1 of 3 answered',
    'Sent',
    undefined,
  ]);
  for (const [people, name, tone] of [
    [{ failed: 1, unreachable: 1 }, '1 failed, 1 not reachable', 'warn'],
    [{ muted: 1, unreachable: 1 }, '1 not reachable, 1 muted', undefined],
    [{ held: 2 }, '2 held for quiet hours', undefined],
    [{ held: 1, failed: 1 }, '1 failed', 'warn'],
  ] as const)
    assert.equal(says({ people: { ...oneAnswered, ...people } }), ['1 of 3 answered', name, tone]);
  const urgent = { ...oneAnswered, failed: 2 };
  assert.equal(says({ priority: 'urgent', people: urgent }), [
    '1 of 3 answered',
    '2 failed',
    'bad',
  ]);
  assert.equal(says({ state: 'sending', people: { ...oneAnswered, displayed: 0, pending: 3 } }), [
    '1 of 3 answered',
    'Sending',
    undefined,
  ]);
  assert.equal(says({ state: 'cancelled', people: { ...allDisplayed, displayed: 0 } }), [
    '-',
    'Canceled',
    undefined,
  ]);
  assert.equal(says({ state: 'resolved', people: allDisplayed }), [
    '1 of 3 answered',
    'Resolved',
    undefined,
  ]);
  assert.equal(says({ state: 'scheduled', people: allDisplayed }), [
    'For about 3 people',
    'Waiting to be sent',
    undefined,
  ]);
  assert.equal(says({ state: 'scheduled', people: { ...allDisplayed, total: 0 } })[0], '-');
  assert.equal(says({ people: { ...allDisplayed, total: 0, displayed: 0 } })[0], '-');
});

test.run();
