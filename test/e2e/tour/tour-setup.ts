import type { TourScreen } from './tour';

const policiesScreen = (name: string, ...steps: NonNullable<TourScreen['steps']>): TourScreen => ({
  name: `policies${name}`,
  path: '/admin/webhooks',
  as: 'admin',
  steps: [...steps.slice(0, 1), 'Escalation', ...steps.slice(1)],
});
const webhooksScreen = (name: string, ...steps: NonNullable<TourScreen['steps']>): TourScreen => ({
  name: `webhooks${name}`,
  path: '/admin/policies',
  as: 'admin',
  steps: [...steps.slice(0, 1), 'Webhooks', ...steps.slice(1)],
});

const auditScreen = (name: string, ...steps: NonNullable<TourScreen['steps']>): TourScreen => ({
  name: `audit${name}`,
  path: '/admin/policies',
  as: 'admin',
  steps: ['Audit log', ...steps],
});

export const SETUP_SCREENS: TourScreen[] = [
  policiesScreen('-none', fakeEmptySetup),
  policiesScreen('', fakeSetup),
  policiesScreen('-edit', fakeSetup, 'Edit Storm'),
  policiesScreen('-on-call', fakeSetup, 'Edit On-call'),
  policiesScreen('-refused', fakeSetup, 'Edit Storm', 'Save policy'),
  policiesScreen('-delete', fakeSetup, 'Edit Storm', 'Delete'),
  policiesScreen('-failed', failAllCalls),
  webhooksScreen('-none', fakeEmptySetup),
  webhooksScreen('', fakeSetup),
  webhooksScreen(
    '-added',
    fakeSetup,
    { field: 'URL', text: 'https://sms.northgrid.example/alarm' },
    'Add webhook',
  ),
  auditScreen(''),
  auditScreen('-none-found', { field: 'Search the log', text: 'unknown name' }),
];

/** Three policies and webhooks that cannot be changed. Runs in the page. */
function fakeSetup(): void {
  const { fetch } = window;
  const date = new Date().toISOString();
  const webhook = { lastAt: date, failingSince: null, offSince: null };
  const bell = {
    ...webhook,
    id: 1,
    url: 'https://ops.northgrid.example/bell',
    events: ['message.sent', 'message.acknowledged', 'message.escalated'],
    lastStatus: 200,
  };
  const chat = {
    ...webhook,
    id: 2,
    url: 'https://chat.northgrid.example/hooks/7',
    events: ['device.failing'],
    lastStatus: 503,
    failingSince: date,
  };
  const sms = {
    ...chat,
    id: 3,
    url: 'https://sms.northgrid.example/fieldbell/alarms',
    events: [],
    lastStatus: 0,
    offSince: date,
  };
  const ring = { after: 120, action: 'repeat' };
  const mail = { after: 600, action: 'mail' };
  const control = { after: 1200, action: 'notify', topicId: 1 };
  const call = { after: 1800, action: 'webhook', url: bell.url };
  const bodies: Record<string, unknown> = {
    'GET /api/admin/policies': {
      policies: [
        { id: 2, name: 'On-call', quorum: 1, steps: [ring, mail, control, call], topics: 2 },
        { id: 3, name: 'Parts', quorum: null, steps: [mail], topics: 0 },
        { id: 1, name: 'Storm', quorum: null, steps: [ring, mail, control], topics: 1 },
      ],
    },
    'GET /api/admin/webhooks': { webhooks: [chat, bell, sms] },
    'POST /api/admin/webhooks': { ...bell, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  };
  window.fetch = async (input, init) => {
    const { pathname } = new URL(String(input), location.href);
    const body = bodies[`${init?.method ?? 'GET'} ${pathname}`];
    if (body) return Response.json(body);
    if (!pathname.startsWith('/api/admin/policies/')) return fetch(input, init);
    const error = [{ message: 'A policy can notify again at most once a minute.', path: 'steps' }];
    return Response.json({ error }, { status: 400 });
  };
}

/** No policies and webhooks. Runs in the page. */
function fakeEmptySetup(): void {
  const { fetch } = window;
  window.fetch = async (input, init) =>
    /admin\/(policies|webhooks)$/.test(String(input))
      ? Response.json({ policies: [], webhooks: [] })
      : fetch(input, init);
}

/** The server fails. Runs in the page. */
function failAllCalls(): void {
  window.fetch = async () => new Response('', { status: 500 });
}
