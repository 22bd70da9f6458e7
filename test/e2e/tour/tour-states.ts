/**
 * A sent message with people in all seven states, and just after it was sent; an urgent one
 * received.
 */
import {
  EVERYONE_FILTER,
  NOT_ANSWERED_FILTER,
  NOT_REACHED_FILTER,
  SHOWN_STATES,
} from '../../../src/shared/recipient-states';
import type { TourScreen } from './tour';

const MESSAGE = { path: '/admin/messages', as: 'admin' } as const;

export const STATE_SCREENS: TourScreen[] = [
  { ...MESSAGE, name: 'sent-states', steps: [fakeAllStates, 'Storm and flood warnings'] },
  { ...MESSAGE, name: 'sent-states-at-once', steps: [fakeSending, 'Storm and flood warnings'] },
  {
    name: 'messages-urgent',
    path: '/messages',
    as: 'technician',
    steps: [fakeUrgentMessage, showTop],
  },
];

/** Pictures also show the list of each tile. */
export const TILE_SCREENS: TourScreen[] = [
  ...SHOWN_STATES,
  NOT_ANSWERED_FILTER,
  NOT_REACHED_FILTER,
  EVERYONE_FILTER,
].map((state) => ({
  ...MESSAGE,
  name: `sent-states-${state}`,
  steps: [fakeAllStates, 'Storm and flood warnings', { follow: `show=${state}` }],
}));

/** Runs in the page. */
function fakeAllStates(): void {
  const { fetch } = window;
  const people = {
    ...{ total: 31, displayed: 18, read: 12, acknowledged: 8 },
    ...{ unreachable: 3, muted: 1, held: 2, pending: 1, accepted: 4, failed: 2 },
  };
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const at = new Date().toISOString();
  const states = 'unreachable muted held pending failed accepted displayed read acknowledged';
  const recipients = states.split(' ').flatMap((state, index) =>
    ['bela.szabo', 'm.okafor'].map((username, nth) => ({
      user: { id: 90 + index * 2 + nth, username, role: 'TECHNICIAN' },
      ...{ state, answer: state === 'acknowledged' ? 'Got it' : null, late: nth === 1, devices: 1 },
      ...{ displayedAt: null, readAt: null, acknowledgedAt: null },
      ...(state === 'held' && { heldUntil: soon }),
      ...(/displayed|read|ack/.test(state) && { displayedAt: at }),
    })),
  );
  window.fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(String(input), location.href);
    if (/\/escalation$/.test(pathname)) return Response.json({}, { status: 404 });
    if (!/\/api\/admin\/messages\/[-\w]{36}(\/recipients)?$/.test(pathname))
      return fetch(input, init);
    if (!pathname.endsWith('/recipients')) {
      const message = await (await fetch(input, init)).json();
      const tally = { 'On my way': 5, 'Got it': 2, 'Need help': 1 };
      const answers = Object.keys(tally);
      const expiresAt = new Date(Date.now() + 40_000_000).toISOString();
      const helpAnswers = ['Need help'];
      return Response.json({
        ...message,
        answers,
        helpAnswers,
        tally,
        people,
        expiresAt,
        state: 'sent',
      });
    }
    const asked = searchParams.get('state') ?? '';
    const wanted = asked === 'not_answered' ? 'held,pending,accepted,displayed,read' : asked;
    const rows = recipients.filter(({ state }) => !wanted || wanted.split(',').includes(state));
    return Response.json({ recipients: rows, total: rows.length, page: 1, limit: 10 });
  };
}

/** An urgent message that waits for an answer arrives. Runs in the page. */
function fakeUrgentMessage(): void {
  const { fetch } = window;
  const now = Date.now();
  const text =
    'Stop all work on poles in the north district NOW. Gusts of 31 m/s from 14:20. Go to your vehicle and report your position.';
  window.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { pathname } = new URL(String(input), location.href);
    if (!/\/api\/notifications\/messages$/.test(pathname) || !response.ok) return response;
    const page = await response.json();
    const message = {
      ...{ id: '0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b', seq: page.newest + 1, message: text },
      ...{ title: 'Storm and flood warnings', link: null, priority: 'urgent', state: 'sent' },
      ...{ topic: { id: 1, title: 'Storm and flood warnings' }, notifiesAgain: true },
      ...{ answers: ['On my way', 'Got it', 'Can’t'], answer: null, acknowledgedAt: null },
      ...{ revision: 1, revisedAt: null, allClearAt: null, former: [], readAt: null },
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 20_000_000).toISOString(),
    };
    const messages = [message, ...page.messages];
    return Response.json({ ...page, messages, newest: message.seq, unread: page.unread + 1 });
  };
  dispatchEvent(new Event('online'));
}

/** The list stays where it was when a message arrives. Runs in the page. */
function showTop(): void {
  scrollTo(0, 0);
}

/** A message just sent to many. Runs in the page. */
function fakeSending(): void {
  const { fetch } = window;
  const none = { displayed: 0, read: 0, acknowledged: 0, muted: 0, accepted: 0, failed: 0 };
  const people = { ...none, total: 9000, unreachable: 0, held: 60, pending: 940 };
  window.fetch = async (input, init) => {
    const { pathname } = new URL(String(input), location.href);
    if (/\/escalation$/.test(pathname)) return Response.json({}, { status: 404 });
    if (/\/recipients$/.test(pathname))
      return Response.json({ recipients: [], total: 0, page: 1, limit: 10 });
    const response = await fetch(input, init);
    if (!/\/api\/admin\/messages\/[-\w]{36}$/.test(pathname)) return response;
    const now = new Date();
    const sendAt = now.toISOString();
    const expiresAt = new Date(Number(now) + 40_000_000).toISOString();
    const message = await response.json();
    return Response.json({ ...message, people, sendAt, expiresAt, state: 'sending', answers: [] });
  };
}
