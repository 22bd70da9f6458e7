import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPushMessage, clickTarget, readPushMessage } from '../../../src/shared/push-message';

const ours = {
  title: 'Grid outages',
  body: 'Feeder 12 tripped.',
  topicId: '7',
  messageId: 'a-1',
  link: '/subscriptions',
  sentAt: '2026-11-21T09:30:00.000Z',
};

test('what the server builds is what the app reads', () => {
  assert.equal(readPushMessage(buildPushMessage(ours)), {
    title: 'Grid outages',
    body: 'Feeder 12 tripped.',
    tag: 'a-1',
    link: '/subscriptions',
    image: undefined,
    timestamp: Date.parse(ours.sentAt),
  });
});

test('a message of ours is data only, so that nobody else shows it', () => {
  assert.is(buildPushMessage(ours).notification, undefined);
});

test('a push with a notification part alone is shown with that part', () => {
  const shown = readPushMessage({
    notification: { title: 'From the console', body: 'Hello', image: '/i.png' },
    fcmMessageId: 'f-1',
  });
  assert.is(shown.title, 'From the console');
  assert.is(shown.body, 'Hello');
  assert.is(shown.image, '/i.png');
  assert.is(shown.tag, 'f-1');
});

test('where both parts are there, the data part counts', () => {
  const shown = readPushMessage({ notification: { title: 'A', body: 'B' }, data: { title: 'C' } });
  assert.is(shown.title, 'C');
  assert.is(shown.body, 'B');
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
  test(`${JSON.stringify(nonsense)} is shown with the defaults`, () => {
    const shown = readPushMessage(nonsense);
    assert.is(shown.title, 'New Message');
    assert.is(shown.body, 'You have a new message.');
  });
}

test('anything at all gives a title and a body', () => {
  fc.assert(
    fc.property(fc.anything(), (payload) => {
      const { title, body } = readPushMessage(payload);
      return title.trim() !== '' && body.trim() !== '';
    }),
  );
});

const ORIGIN = 'https://bell.example';

test('a click on a message of ours opens the page it names', () => {
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
  'https://bell.example.evil.example/',
  'http://[',
  '/.//evil.example',
  'https://bell.example//evil.example',
  '/a/..//x',
  '/%2e//x',
  '/.\\/x',
]) {
  test(`a click that would lead to ${link} opens the home page`, () => {
    assert.is(clickTarget(link, ORIGIN), 'https://bell.example/');
  });
}

test('no link whatever leaves the app', () => {
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
        // The path alone is what a window is asked to go to.
        return origin === ORIGIN && new URL(pathname + search, ORIGIN).origin === ORIGIN;
      },
    ),
    { numRuns: 1000 },
  );
});

test.run();
