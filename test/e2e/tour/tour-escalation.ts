import type { TourScreen } from './tour';

const STORM = 'Storm and flood warnings';

export const ESCALATION_SCREENS: TourScreen[] = [
  {
    name: 'sent-message-escalating',
    path: '/admin/messages',
    as: 'admin',
    steps: [fakeEscalation, STORM],
  },
  { name: 'topics-edit', path: '/admin/topics', as: 'admin', steps: [`Edit ${STORM}`] },
  {
    name: 'compose-policy',
    path: '/admin/messages/new',
    as: 'admin',
    steps: ['More options', { field: 'Escalation', text: '1' }],
  },
];

/** Each message is three minutes old, notified again, and has steps to come. Runs in the page. */
function fakeEscalation(): void {
  const { fetch } = window;
  const sent = Date.now() - 3 * 60_000;
  const after = (minutes: number) => new Date(sent + minutes * 60_000).toISOString();
  const step = { action: 'repeat', doneAt: null, people: null, topic: null, by: null };
  const escalation = {
    policy: { id: 1, name: 'Storm', quorum: null, steps: [] },
    stopped: null,
    stoppedAt: null,
    stoppedBy: null,
    steps: [
      { ...step, dueAt: after(2), doneAt: after(2), people: 13 },
      { ...step, action: 'mail', dueAt: after(10) },
      { ...step, action: 'notify', dueAt: after(20), topic: 'On-call changes' },
      { ...step, action: 'webhook', dueAt: after(24 * 60) },
    ],
  };
  window.fetch = async (input, init) => {
    const { pathname } = new URL(String(input), location.href);
    if (pathname.endsWith('/escalation')) return Response.json(escalation);
    const response = await fetch(input, init);
    if (!/\/admin\/messages\/[\w-]+$/.test(pathname)) return response;
    return Response.json({
      ...(await response.json()),
      state: 'sent',
      sendAt: after(0),
      expiresAt: after(25 * 60),
    });
  };
}
