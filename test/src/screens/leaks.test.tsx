import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import type { Role } from '../../../src/shared/contract';
// Listens for good once loaded, which a busy machine may do only in the second round.
import '../../../src/state/receipts';
import { clock, fakeApi, screen, screenSuite, showScreen } from '../../support/app/app';
import { fakeDatabase } from '../../support/app/fake-database';
import { fakeInbox, createMessages } from '../../support/app/fake-inbox';
import { createOwnDevice } from '../../support/app/own-device';
import { endSession, signInAs } from '../../support/app/session';
import { SignedInRoutes } from '../../support/app/signed-in';
import { fakePush } from '../../support/push-services/fake-push';
import {
  createRecipient,
  createSentMessage,
  createTopic,
  recipientPages,
} from '../../support/app/factories/people';
import {
  createOverview,
  createReachBoardPerson,
  createReachDevice,
  createDisplayedTest,
  reachPages,
} from '../../support/app/factories/reach';

const test = screenSuite('leaks of left pages');
const TEN_MINUTES = 600_000;

test.before.each(() => {
  fakeDatabase.install();
  fakePush.install('default');
  fakeInbox.install(createMessages(3));
  fakeApi.reply('GET /api/notifications/my-subscriptions', [
    { id: 1, createdAt: createTopic(1).createdAt, topic: createTopic(1) },
  ]);
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakeApi.reply('GET /api/notifications/devices', [createOwnDevice()]);
  fakeApi.reply('GET /api/notifications/quiet-hours', {
    timeZone: 'UTC',
    rules: [{ days: [1], from: '22:00', to: '06:00' }],
    quietUntil: new Date(Date.now() + 1000).toISOString(),
    waiting: 1,
  });
  fakeApi.reply('GET /api/admin/overview', createOverview());
  fakeApi.reply('GET /api/admin/messages', { messages: [], total: 0, page: 1, limit: 20 });
  fakeApi.reject('GET /api/admin/check-ins', 404);
  fakeApi.reject('GET /api/admin/insights', 404);
  fakeApi.reply('GET /api/admin/messages/:id', createSentMessage('m1'));
  fakeApi.reject('GET /api/admin/messages/:id/escalation', 404);
  fakeApi.reply(
    'GET /api/admin/messages/:id/recipients',
    recipientPages([createRecipient(1, 'unreachable')]),
  );
  fakeApi.reply(
    'GET /api/admin/reach',
    reachPages([
      createReachBoardPerson(1, 'silent', {
        devices: [createReachDevice(1, { state: 'silent', lastTest: createDisplayedTest('t') })],
      }),
    ]),
  );
  fakeApi.reply('GET /api/admin/topics', { topics: [], total: 0, page: 1, limit: 10 });
  fakeApi.reply('GET /api/admin/templates', { templates: [] });
});
test.after.each(() => {
  endSession();
  fakeDatabase.remove();
});

/** Counts listeners that were not removed by `end`, by name. */
function listen(): { left: Record<string, number>; end: () => void } {
  const left: Record<string, number> = {};
  const ends = [globalThis, document, navigator.serviceWorker].map((target) => {
    const { addEventListener, removeEventListener } = target;
    const count = (by: number, act: (...given: never[]) => void) =>
      function (this: unknown, ...given: never[]) {
        left[given[0]!] = (left[given[0]!] ?? 0) + by;
        act.apply(target, given);
      };
    Object.assign(target, {
      addEventListener: count(1, addEventListener),
      removeEventListener: count(-1, removeEventListener),
    });
    return () => Object.assign(target, { addEventListener, removeEventListener });
  });
  return { left, end: () => ends.forEach((end) => end()) };
}

const PAGES: readonly (readonly [Role, string])[] = [
  ['TECHNICIAN', '/'],
  ['TECHNICIAN', '/messages'],
  ['TECHNICIAN', '/messages/m1'],
  ['TECHNICIAN', '/check'],
  ['TECHNICIAN', '/quiet-hours'],
  ['ADMIN', '/admin'],
  ['ADMIN', '/admin/messages/m1'],
  ['ADMIN', '/admin/messages/new'],
  ['ADMIN', '/admin/reach'],
  ['ADMIN', '/admin/topics'],
];

for (const [role, path] of PAGES)
  test(`stops all requests, listeners and timers after leaving ${path}`, async () => {
    signInAs(role, { id: 900 });
    for (const round of [1, 2]) {
      const listening = listen();
      const timers = clock.countTimers();
      try {
        showScreen(<SignedInRoutes />, path);
        await screen.findByRole('heading', { level: 1 });
        await clock.advance(5000);
        cleanup();
        await clock.advance(1000);
        const requestCount = fakeApi.countRequests();
        for (const event of ['focus', 'online']) dispatchEvent(new Event(event));
        document.dispatchEvent(new Event('visibilitychange'));
        await clock.advance(TEN_MINUTES);
        if (round === 1) continue; // later listeners may stay
        assert.is(fakeApi.countRequests(), requestCount);
        const left = Object.entries(listening.left).filter(([, count]) => count !== 0);
        assert.equal(left, []);
        assert.is(clock.countTimers(), timers);
      } finally {
        listening.end();
      }
    }
  });

test.run();
