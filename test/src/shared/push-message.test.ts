import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  buildDeclarativeMessage,
  buildPushMessage,
  clickTarget,
  notificationTitle,
  readPushMessage,
} from '../../../src/shared/push-message';

const serverPush = {
  title: 'Grid outages',
  body: 'Feeder 12 tripped.',
  topicId: '7',
  messageId: 'a-1',
  link: '/messages/a-1',
  sentAt: '2026-11-21T09:30:00.000Z',
  priority: 'urgent' as const,
  answers: '["Got it","On my way"]',
  url: '/map',
  expiresAt: '2026-11-22T09:30:00.000Z',
  seq: '12',
  unread: '3',
  lang: 'de',
  round: '1',
};

test('reads each field of the server’s push', () => {
  assert.equal(readPushMessage(buildPushMessage(serverPush)), {
    title: 'Grid outages',
    body: 'Feeder 12 tripped.',
    tag: 'a-1',
    link: '/messages/a-1',
    image: undefined,
    timestamp: Date.parse(serverPush.sentAt),
    id: 'a-1',
    priority: 'urgent',
    answers: ['Got it', 'On my way'],
    url: '/map',
    expiresAt: Date.parse(serverPush.expiresAt),
    seq: 12,
    unread: 3,
    lang: 'de',
    dir: undefined,
    round: 1,
    revision: undefined,
    isAllClear: false,
    isTest: false,
    closes: [],
  });
});

test('reads an older server’s message as normal, without answers or inbox', () => {
  const { title, body, topicId, messageId, link, sentAt } = serverPush;
  const older = { title, body, topicId, messageId, link, sentAt };
  const { id, priority, answers, url, expiresAt, seq, unread, round } = readPushMessage(
    buildPushMessage(older),
  );
  assert.equal(
    [id, priority, answers, url, expiresAt, seq, unread, round],
    ['a-1', 'normal', [], null, undefined, undefined, undefined, 0],
  );
});

test('reads Safari’s push like other browsers’, on either path', () => {
  const built = buildDeclarativeMessage({ ...serverPush, round: '0' }, 'https://bell.example');
  const expectedNotification = readPushMessage(buildPushMessage({ ...serverPush, round: '0' }));
  assert.equal(readPushMessage(built), expectedNotification);
  // Reads an event's notification, without a payload around it.
  assert.equal(
    readPushMessage({ notification: (built as { notification: object }).notification }),
    expectedNotification,
  );
});

test('says in a notification’s title that it is urgent, and how often it was sent', () => {
  for (const [priority, round, title] of [
    ['normal', '0', 'Grid outages'],
    ['urgent', '0', 'Urgent: Grid outages'],
    ['normal', '1', '2nd time: Grid outages'],
    ['urgent', '2', 'Urgent, 3rd time: Grid outages'],
    ['info', '10', '11th time: Grid outages'],
    ['info', '20', '21st time: Grid outages'],
  ] as const) {
    const data = { ...serverPush, priority, round };
    const shownNotification = readPushMessage(buildPushMessage(data));
    assert.is(notificationTitle(shownNotification), title);
    const built = buildDeclarativeMessage(data, 'https://bell.example');
    assert.is((built as { notification: { title: string } }).notification.title, title);
    assert.equal(
      readPushMessage(built),
      shownNotification,
      'our worker adds nothing to Safari’s title twice',
    );
  }
  const ofDevice = { ...serverPush, round: '0', testId: serverPush.messageId };
  assert.is(notificationTitle(readPushMessage({ data: ofDevice })), 'Grid outages');
});

test('shows an Arabic message from right to left, without turning the title of a topic', () => {
  const data = { ...serverPush, title: 'Grid outages!\u202e', lang: 'ar', dir: 'rtl' as const };
  const { notification } = buildDeclarativeMessage(data, 'https://bell.example', {
    urgent: 'عاجل',
    again: (round) => `المرة ${round}`,
    corrected: 'تصحيح',
    allClear: 'زال الخطر',
  }) as { notification: { title: string; dir: string } };
  assert.is(notification.title, 'عاجل, المرة 1: \u2068Grid outages!\u2069');
  assert.is(notification.dir, 'rtl');
  assert.is(readPushMessage(buildPushMessage(data)).dir, 'rtl');
});

test('gives Safari the number of unread messages, and nothing without one', () => {
  const badge = (unread: string) => {
    const built = buildDeclarativeMessage({ ...serverPush, unread }, 'https://bell.example') as {
      app_badge?: number;
      notification: { app_badge?: string };
    };
    return [built.app_badge, built.notification.app_badge];
  };
  assert.equal(badge('3'), [3, '3']);
  for (const none of ['0', '', 'x', '-1'.replace('-', 'minus ')])
    assert.equal(badge(none), [undefined, undefined]);
});

for (const answers of [
  'x',
  '{}',
  '7',
  'null',
  '"Got it"',
  '[1]',
  '[""]',
  '["  "]',
  '[null]',
  '["a","b","c","d"]',
  `["${'x'.repeat(25)}"]`,
  '[["Got it"]]',
  '{"length":2}',
]) {
  test(`ignores answers of ${answers.slice(0, 12)}`, () => {
    assert.equal(readPushMessage({ data: { ...serverPush, answers } }).answers, []);
  });
}

test('accepts an answer of 24 emoji, and repeated ones once', () => {
  const answer = '👷'.repeat(24);
  assert.equal(
    readPushMessage({ data: { ...serverPush, answers: JSON.stringify([answer, answer]) } }).answers,
    [answer],
  );
});

for (const [field, hostile] of [
  ['seq', ['-1', '1.5', '1e3', 'x', '', '9'.repeat(30), null, {}, []]],
  ['unread', ['-1', '1.5', 'x', '', '9'.repeat(30), null, {}]],
  ['expiresAt', ['soon', '', null, {}, 7]],
] as const) {
  test(`shows a push whose ${field} is nonsense`, () => {
    for (const value of hostile) {
      const shownNotification = readPushMessage({ data: { ...serverPush, [field]: value } });
      assert.is(shownNotification[field], undefined, String(value));
      assert.is(shownNotification.title, 'Grid outages');
    }
  });
}

test('treats an unknown priority as normal, and an invalid round as the first', () => {
  for (const nonsense of ['', 'URGENT', 'toString', null, 7, {}]) {
    const shownNotification = readPushMessage({
      data: { ...serverPush, priority: nonsense, round: nonsense ?? 'x' },
    });
    assert.is(shownNotification.priority, 'normal');
    assert.is(shownNotification.round, nonsense === 7 ? 7 : 0);
  }
});

test('ignores a link that is neither an app path nor https', () => {
  for (const url of [
    'javascript:alert(1)',
    'http://x.example',
    '//evil.example',
    '/\\evil',
    'x',
    '',
    null,
    {},
  ])
    assert.is(readPushMessage({ data: { ...serverPush, url } }).url, null, String(url));
  assert.is(
    readPushMessage({ data: { ...serverPush, url: 'https://x.example/' } }).url,
    'https://x.example/',
  );
});

test('does not report an id that is too long', () => {
  assert.is(readPushMessage({ data: { messageId: 'x'.repeat(101) } }).id, undefined);
});

test('sends data only, so our worker alone shows a message', () => {
  assert.is(buildPushMessage(serverPush).notification, undefined);
});

test('shows a push with only a notification part', () => {
  const shownNotification = readPushMessage({
    notification: { title: 'From the console', body: 'Hello', image: '/i.png' },
    fcmMessageId: 'f-1',
  });
  assert.is(shownNotification.title, 'From the console');
  assert.is(shownNotification.body, 'Hello');
  assert.is(shownNotification.image, '/i.png');
  assert.is(shownNotification.tag, 'f-1');
});

test('prefers the data part over the notification part', () => {
  const shownNotification = readPushMessage({
    notification: { title: 'A', body: 'B' },
    data: { title: 'C' },
  });
  assert.is(shownNotification.title, 'C');
  assert.is(shownNotification.body, 'B');
});

for (const nonsense of [
  undefined,
  null,
  7,
  'text',
  [],
  {},
  { data: null, notification: 3 },
  { data: { title: '', body: '  ' } },
  { data: { title: {} } },
]) {
  test(`shows ${JSON.stringify(nonsense)} with the defaults`, () => {
    const shownNotification = readPushMessage(nonsense);
    assert.is(shownNotification.title, 'New Message');
    assert.is(shownNotification.body, 'You have a new message.');
  });
}

test('gives anything a title and a body', () => {
  fc.assert(
    fc.property(fc.anything(), (payload) => {
      const { title, body } = readPushMessage(payload);
      return title.trim() !== '' && body.trim() !== '';
    }),
  );
});

const ORIGIN = 'https://bell.example';

test('opens the page that a message names', () => {
  assert.is(clickTarget('/subscriptions?a=1', ORIGIN), 'https://bell.example/subscriptions?a=1');
  assert.is(clickTarget('https://bell.example/admin', ORIGIN), 'https://bell.example/admin');
});

for (const link of [
  undefined,
  '',
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://bell.example/',
  'blob:https://bell.example/6f1a',
  'https://bell.example:secret@bell.example/',
  'https://bell.example.evil.example/',
  'http://[',
  '/.//evil.example',
  'https://bell.example//evil.example',
  '/a/..//x',
  '/%2e//x',
  '/.\\/x',
]) {
  test(`opens the home page instead of ${link}`, () => {
    assert.is(clickTarget(link, ORIGIN), 'https://bell.example/');
  });
}

test('keeps every link inside the app', () => {
  fc.assert(
    fc.property(
      fc
        .tuple(
          fc.constantFrom(
            '',
            '/',
            '//',
            '/.//',
            '/%2e//',
            'https://bell.example//',
            '/\\',
            '\t//',
            'https:',
            'https://',
            'javascript:',
            'data:',
          ),
          fc.string(),
        )
        .map((parts) => parts.join('')),
      (link) => {
        const { origin, pathname, search } = new URL(clickTarget(link, ORIGIN));
        // A window is asked to go to the path alone.
        return origin === ORIGIN && new URL(pathname + search, ORIGIN).origin === ORIGIN;
      },
    ),
    { numRuns: 1000 },
  );
});

test('treats a push as a test only when the test is the message itself', () => {
  const isTest = (data: Record<string, string>): boolean => readPushMessage({ data }).isTest;
  assert.is(isTest({ messageId: 't-1', testId: 't-1' }), true);
  assert.is(isTest({ messageId: 'a-1', testId: 't-1' }), false);
  assert.is(isTest({ messageId: 'a-1' }), false);
  assert.is(isTest({ testId: 't-1' }), false);
});

test.run();
