import type { TourScreen } from './tour';

const board = { path: '/admin/check-ins', as: 'admin' } as const;
const ownCheckIn = { path: '/check-in', as: 'technician' } as const;
const heartbeats = { path: '/admin/topics/1/heartbeats', as: 'admin' } as const;

export const CHECK_IN_SCREENS: TourScreen[] = [
  { ...board, name: 'check-ins-none' },
  { ...board, name: 'check-ins', steps: [fakeCheckIns] },
  {
    ...board,
    name: 'check-ins-ended',
    path: '/admin/check-ins?state=ended',
    steps: [fakeCheckIns],
  },
  { ...ownCheckIn, name: 'check-in-off' },
  { ...ownCheckIn, name: 'check-in', steps: [fakeOwnCheckIn] },
  {
    ...ownCheckIn,
    name: 'check-in-running',
    path: '/check-in?state=running',
    steps: [fakeOwnCheckIn],
  },
  { ...ownCheckIn, name: 'check-in-due', path: '/check-in?state=due', steps: [fakeOwnCheckIn] },
  {
    ...ownCheckIn,
    name: 'check-in-missed',
    path: '/check-in?state=missed',
    steps: [fakeOwnCheckIn],
  },
  { ...ownCheckIn, name: 'check-in-help', path: '/check-in?state=help', steps: [fakeOwnCheckIn] },
  ...['running', 'due'].map((state) => ({
    ...{ ...ownCheckIn, name: `messages-check-in-${state}`, path: `/messages?state=${state}` },
    steps: [fakeOwnCheckIn],
  })),
  { ...heartbeats, name: 'heartbeats-none' },
  { ...heartbeats, name: 'heartbeats', steps: [fakeHeartbeats] },
];

/** A person in each state. Runs in the page. */
function fakeCheckIns(): void {
  const { fetch } = window;
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const people = ['help', 'missed', 'due', 'running'].map((state, nth) => ({
    ...{ id: nth + 1, minutes: 60, note: 'Substation Mill Lane, replacing fuses.', state },
    ...{ startedAt: at(9 * nth - 80), askAt: at(9 * nth - 25), dueAt: at(9 * nth - 20) },
    alarmAt: at(9 * nth - 15),
    ...{ answers: nth, answeredAt: nth > 0 ? at(-60) : null, endedAt: null },
    alarm: nth < 2 ? { messageId: 'an-alarm', at: at(-2), people: 6, answered: nth } : null,
    person: { id: nth + 2, username: `m.okafor-${state}` },
  }));
  const ended = ['ended', 'alarmed', 'suspended', 'late-help'].map((name, nth) => ({
    ...{ ...people[3], id: nth + 9, state: 'ended', endedAt: at(-3), alarm: null },
    ...(nth % 2 === 1 && { lastAlarm: { messageId: 'an-alarm', at: at(-30) } }),
    ...(nth > 1 && { endReason: 'suspended' }),
    ...(nth === 3 && { helpAt: at(-40), helpReceivedAt: at(-31) }),
    person: { id: nth + 2, username: `m.okafor-${name}` },
  }));
  const checkIns = location.search.includes('ended') ? ended : people;
  const counts = { running: 1, due: 1, missed: 1, help: 1, ended: 12 };
  window.fetch = async (input, init) =>
    new URL(String(input), location.href).pathname === '/api/admin/check-ins'
      ? Response.json({ checkIns, counts, total: 4, page: 1, limit: 25 })
      : fetch(input, init);
  document.dispatchEvent(new Event('visibilitychange')); // shown again, so it reloads
}

/** Switched on, with a check-in in the address's state, or an ended one. Runs in the page. */
function fakeOwnCheckIn(): void {
  const { fetch } = window;
  const state = new URLSearchParams(location.search).get('state') ?? 'ended';
  const left = { ended: -60, running: 42, due: -1, missed: -12, help: 20 }[state] ?? 0;
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const alarm = { messageId: 'an-alarm', at: at(left + 5), people: 6, answered: 1 };
  const checkIn = {
    ...{ id: 1, minutes: 60, note: 'Substation Mill Lane, replacing fuses.', state },
    ...{ startedAt: at(left - 60), askAt: at(left - 5), dueAt: at(left), alarmAt: at(left + 5) },
    ...{ answers: 0, answeredAt: null, endedAt: state === 'ended' ? at(left - 10) : null },
    alarm: state === 'missed' || state === 'help' ? alarm : null,
    person: { id: 2, username: 'm.okafor' },
  };
  const [current, earlier] = state === 'ended' ? [null, [checkIn]] : [checkIn, []];
  const own = { enabled: true, alarmTo: 'Control room', current, earlier };
  window.fetch = async (input, init) => {
    const { pathname } = new URL(String(input), location.href);
    if (pathname === '/api/check-ins') return Response.json(own);
    // The inbox's response says who may check in.
    if (pathname !== '/api/notifications/messages' || location.pathname === '/check-in')
      return fetch(input, init);
    const page = await (await fetch(input, init)).json();
    return Response.json({ ...page, mayCheckIn: true, closed: -1 }); // so it reads all again
  };
  dispatchEvent(new Event('focus')); // shown again, so it reloads
}

/** A machine in each state. Runs in the page. */
function fakeHeartbeats(): void {
  const { fetch } = window;
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const machines = ['silent', 'late', 'alive', 'waiting', 'paused'].map((state, nth) => ({
    ...{ id: nth + 1, name: `nightly-backup-${nth}`, every: 86_400, grace: 3600, state },
    ...{ lastAt: at(60 * (nth - 2) - 1440), dueAt: at(60 * (nth - 2)) },
    ...(state === 'silent' && { alert: { messageId: 'an-alert', at: at(-5) } }),
  }));
  window.fetch = async (input, init) =>
    String(input).endsWith('/heartbeats')
      ? Response.json({ heartbeats: machines })
      : fetch(input, init);
  document.dispatchEvent(new Event('visibilitychange')); // shown again, so it reloads
}
