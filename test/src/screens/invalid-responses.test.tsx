/** Whatever a backend answers, a person sees a list or a sentence. */
import { cleanup } from '@testing-library/preact';
import fc from 'fast-check';
import type { ReactElement } from 'react';
import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import type { Endpoint } from '../../../src/shared/contract';
import { Dashboard } from '../../../src/screens/dashboard/Dashboard';
import { ReachBoard } from '../../../src/screens/reach/ReachBoard';
import { Settings } from '../../../src/screens/notifications/Settings';
import { SentMessageScreen } from '../../../src/screens/sent/message/SentMessageScreen';
import { Sent } from '../../../src/screens/sent/Sent';
import { Audit } from '../../../src/screens/setup/audit/Audit';
import { Policies } from '../../../src/screens/setup/policies/Policies';
import { Webhooks } from '../../../src/screens/setup/webhooks/Webhooks';
import { Topics } from '../../../src/screens/topics/Topics';
import { Users } from '../../../src/screens/users/Users';
import { UserSubscriptions } from '../../../src/screens/user-subscriptions/UserSubscriptions';
import { Boundary } from '../../../src/ui/Boundary';
import {
  button,
  clock,
  fakeApi,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../support/app/app';
import {
  createRecipient,
  createSentMessage,
  createSubscriber,
  createTopic,
  createUser,
} from '../../support/app/factories/people';
import { createEscalation } from '../../support/app/factories/escalation';
import {
  createOverview,
  createReachBoardPerson,
  createReachDevice,
  createDisplayedTest,
} from '../../support/app/factories/reach';
import { createEntry, createPolicy, createWebhook } from '../../support/app/factories/setup';
import { fakePush } from '../../support/push-services/fake-push';
import { endSession, signInAs } from '../../support/app/session';

const test = screenSuite('invalid responses');
/** Answers per call. A failure prints its seed. */
const RUNS = 12;

test.before.each(() => {
  fakePush.install('default');
  signInAs('ADMIN');
});
test.after.each(endSession);

const subscription = { id: 1, createdAt: createTopic(1).createdAt, topic: createTopic(1) };
const page = { total: 11, page: 1, limit: 10 };

/** A valid answer with one value replaced: most faults are nearly valid. */
function spoiled(right: unknown): fc.Arbitrary<unknown> {
  const places: string[][] = [[]];
  const collect = (value: unknown, place: string[]) => {
    for (const [name, part] of Object.entries(Object(value) as object)) {
      if (typeof value === 'string') continue;
      places.push([...place, name]);
      collect(part, [...place, name]);
    }
  };
  collect(right, []);
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(
      null,
      '',
      -1,
      0,
      1e308,
      '__proto__',
      'constructor',
      { toString: 1, valueOf: 1 },
      [[]],
      '<img src=x>',
    ),
  );
  return fc
    .tuple(fc.constantFrom(...places), odd)
    .map(([place, value]) => setAt(structuredClone(right), place, value));
}
function setAt(into: unknown, [name, ...rest]: string[], value: unknown): unknown {
  if (name === undefined) return value;
  const copy = into as Record<string, unknown>;
  copy[name] = setAt(copy[name], rest, value);
  return copy;
}

interface Case {
  endpoint: Endpoint;
  right: unknown;
  screen: ReactElement;
  path?: string;
  where?: string;
  /** What to do until the answer is shown. */
  act?: () => Promise<void>;
}

const CASES: Case[] = [
  {
    endpoint: 'GET /api/admin/topics',
    right: { topics: [createTopic(1), createTopic(2)], ...page },
    screen: <Topics />,
  },
  {
    endpoint: 'GET /api/admin/users',
    right: {
      users: [createUser(1), createUser(2, { status: 'PENDING', registrationToken: 't' })],
      ...page,
    },
    screen: <Users />,
  },
  {
    endpoint: 'GET /api/admin/topics/:id/subscribers',
    right: [createSubscriber(1), createSubscriber(2)],
    screen: <Topics />,
    act: async () =>
      pressElement(await screen.findByRole('button', { name: 'Subscribers of Topic 1' })),
  },
  ...(
    [
      ['GET /api/admin/users/:id', createUser(1)],
      ['GET /api/admin/users/:id/subscriptions', [subscription]],
      ['GET /api/admin/users/:id/available-topics', [createTopic(2), createTopic(3)]],
    ] as const
  ).map(([endpoint, rightUser]) => ({
    endpoint,
    right: rightUser,
    screen: <Route path="/admin/users/:userId/subscriptions" component={UserSubscriptions} />,
    path: '/admin/users/1/subscriptions',
  })),
  {
    endpoint: 'GET /api/admin/messages',
    right: {
      messages: [createSentMessage('a'), createSentMessage('b', { state: 'scheduled' })],
      ...page,
    },
    screen: <Sent />,
  },
  {
    endpoint: 'GET /api/admin/overview',
    right: createOverview({
      messages: [createSentMessage('a'), createSentMessage('b', { state: 'scheduled' })],
      health: {
        webhooks: { failing: 1, off: 1, total: 2, waiting: 0, succeededAt: null },
      },
    }),
    screen: <Dashboard />,
  },
  {
    endpoint: 'GET /api/admin/overview',
    right: createOverview({ people: { total: 1, reachable: 0, pending: 0 } }),
    screen: <Dashboard />,
    where: ' on a new installation',
  },
  {
    endpoint: 'GET /api/admin/reach',
    right: {
      people: [
        createReachBoardPerson(1, 'silent', {
          devices: [createReachDevice(1, { state: 'silent', lastTest: createDisplayedTest('t') })],
        }),
        createReachBoardPerson(2, 'no_device', {
          lost: { at: createTopic(1).createdAt, why: 'removed' },
        }),
        createReachBoardPerson(3, 'pending', {
          invitation: { token: 't', createdAt: createTopic(1).createdAt },
        }),
      ],
      ...page,
      summary: {
        reachable: 0,
        late: 0,
        untested: 0,
        silent: 1,
        failing: 0,
        no_device: 1,
        pending: 1,
      },
      lastTests: { at: createTopic(1).createdAt, devices: 52 },
    },
    screen: <ReachBoard />,
  },
  ...(
    [
      ['GET /api/admin/messages/:id', createSentMessage('1')],
      ['GET /api/admin/messages/:id/escalation', createEscalation()],
      [
        'GET /api/admin/messages/:id/recipients',
        {
          recipients: [
            createRecipient(1, 'failed'),
            createRecipient(2, 'acknowledged', { answer: 'Got it' }),
          ],
          ...page,
        },
      ],
    ] as const
  ).map(([endpoint, rightMessage]) => ({
    endpoint,
    right: rightMessage,
    screen: <Route path="/admin/messages/:messageId" component={SentMessageScreen} />,
    path: '/admin/messages/1',
  })),
  {
    endpoint: 'GET /api/admin/policies',
    right: { policies: [createPolicy(1), createPolicy(2, { quorum: 2 })] },
    screen: <Policies />,
    path: '/admin/policies',
    act: () => pressFirst('Edit'),
  },
  {
    endpoint: 'GET /api/admin/policies',
    right: { policies: [createPolicy(1), createPolicy(2, { quorum: 2 })] },
    screen: <Topics />,
    where: ' at the form of a topic',
    act: () => pressFirst('Edit'),
  },
  {
    endpoint: 'GET /api/admin/webhooks',
    right: {
      webhooks: [createWebhook(1), createWebhook(2, { offSince: createTopic(1).createdAt })],
    },
    screen: <Webhooks />,
    path: '/admin/webhooks',
  },
  {
    endpoint: 'GET /api/admin/audit',
    right: {
      entries: [createEntry(1), createEntry(2, { network: null })],
      keptDays: 365,
      total: 2,
      page: 1,
      limit: 25,
    },
    screen: <Audit />,
    path: '/admin/audit',
  },
  {
    endpoint: 'GET /api/notifications/my-subscriptions',
    right: [subscription],
    screen: <Settings />,
  },
  {
    endpoint: 'GET /api/notifications/preferences',
    right: [{ topicId: 1, enabled: true }],
    screen: <Settings />,
  },
];

for (const { endpoint, right, screen: shown, path = '/', where = '', act } of CASES) {
  test(`shows a list or a sentence whatever ${endpoint} returns${where}`, async () => {
    const faults: unknown[] = [];
    const { error, warn } = console;
    Object.assign(console, {
      error: (...logged: unknown[]) => faults.push(logged),
      warn: () => {},
    });
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.jsonValue(), { arbitrary: spoiled(right), weight: 3 }),
          async (body) => {
            for (const responseCase of CASES)
              fakeApi.reply(responseCase.endpoint, responseCase.right as never);
            fakeApi.reject('GET /api/admin/insights', 404);
            fakeApi.reject('GET /api/admin/check-ins', 404);
            fakeApi.reply(endpoint, body as never);
            showScreen(<Boundary>{shown}</Boundary>, path);
            await act?.();
            await showsOutcome();
            const fault = screen.queryByText(/^This page couldn’t be shown/);
            cleanup();
            assert.is(fault, null, `a fault: ${String(faults[0])}`);
          },
        ),
        { numRuns: RUNS },
      );
    } finally {
      Object.assign(console, { error, warn });
    }
    assert.equal(faults, []);
  });
}

/** Presses the first such button, if any, and waits for its request. */
async function pressFirst(name: string): Promise<void> {
  await showsOutcome();
  const foundElement = document.querySelector<HTMLElement>(`button[aria-label^="${name}"]`);
  if (foundElement) pressElement(foundElement);
  await clock.advance(0);
}

/** A row, a sentence for an empty list, or a failure with a way out. */
const showsOutcome = () =>
  waitFor(() =>
    assert.ok(
      document.querySelector(
        '[role="alert"]:not(:empty), td, main li b, .panel:is(.pad, .empty) p',
      ),
      'neither a list nor a sentence',
    ),
  );

test('omits progress that is invalid', async () => {
  fakeApi.reply('GET /api/admin/topics', { topics: [createTopic(1)], ...page });
  fakeApi.reply('GET /api/admin/topics/:id/subscribers', []);
  fakeApi.reply('POST /api/admin/messages/audience', {
    people: 0,
    reachable: 0,
    muted: 0,
    unreachable: 0,
    held: 0,
  });
  fakeApi.reply('POST /api/admin/notifications/send-topic/:topicId', {
    message: 'Sent to 1 device.',
    messageId: 'm',
  });
  fakeApi.reply('GET /api/admin/messages/:id', { total: 1 } as never);
  showScreen(<Topics />, '/admin/topics');
  pressElement(await screen.findByRole('button', { name: 'Send notification to Topic 1' }));
  typeInto(screen.getByLabelText('Message'), 'Feeder 12');
  pressElement(button('Send'));
  await screen.findByText(/^Sent to 1 device\./);
  await waitFor(() => assert.ok(fakeApi.requestsTo('GET /api/admin/messages/:id').length > 0));
  await clock.advance(0);
  assert.ok(screen.getByRole('dialog'));
});

test('lets the person retry a list after an invalid response', async () => {
  fakeApi.reply('GET /api/admin/topics', { topics: 'none' } as never);
  showScreen(<Topics />, '/admin/topics');
  await screen.findByRole('alert');
  fakeApi.reply('GET /api/admin/topics', { topics: [createTopic(1)], ...page });
  pressElement(button('Retry'));
  await screen.findByText('Topic 1');
  await clock.advance(0);
});

test.run();
