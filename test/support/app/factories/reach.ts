import type {
  ResponseOf,
  Overview,
  PushServiceHealth,
  ReachBoardPerson,
  ReachDevice,
  ReachState,
  ReachSummary,
  DeviceTest,
} from '../../../../src/shared/contract';
import { pageFields, pageOfRows } from './people';

const MINUTE_MS = 60_000;
export const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * MINUTE_MS).toISOString();

/** A test that was shown at once, an hour ago. */
export function createDisplayedTest(
  id: string,
  {
    stages,
    ...change
  }: Partial<Omit<DeviceTest, 'stages'>> & { stages?: Partial<DeviceTest['stages']> } = {},
): DeviceTest {
  const stageTime = change.sendAt ?? change.createdAt ?? minutesAgo(60);
  return {
    id,
    deviceId: 1,
    createdAt: stageTime,
    sendAt: stageTime,
    stages: {
      queued: stageTime,
      accepted: stageTime,
      received: stageTime,
      displayed: stageTime,
      heard: null,
      ...stages,
    },
    failure: null,
    lateBy: null,
    ...change,
  };
}

export const createReachDevice = (id: number, change: Partial<ReachDevice> = {}): ReachDevice => ({
  id,
  state: 'reachable',
  deviceType: 'android',
  browser: 'Chrome',
  model: 'SM-A047F',
  installed: true,
  lastSeenAt: minutesAgo(90),
  lastAcceptedAt: minutesAgo(60),
  lastDisplayedAt: minutesAgo(60),
  lastTest: null,
  unanswered: 0,
  refusals: 0,
  ...change,
});

/** A person in this state, with a device in that state. */
export const createReachBoardPerson = (
  id: number,
  state: ReachState,
  change: Partial<ReachBoardPerson> = {},
): ReachBoardPerson => ({
  user: { id, username: `user${id}`, role: 'TECHNICIAN' },
  state,
  devices: state === 'no_device' || state === 'pending' ? [] : [createReachDevice(id, { state })],
  lost: null,
  invitation: null,
  ...change,
});

const CALM_STATES: readonly ReachState[] = ['reachable', 'late'];

export function reachPages(
  people: readonly ReachBoardPerson[],
  lastTests: ResponseOf<'GET /api/admin/reach'>['lastTests'] = null,
): (request: { query: Record<string, string> }) => ResponseOf<'GET /api/admin/reach'> {
  return ({ query }) => {
    const namedPeople = people.filter(({ user }) => user.username.includes(query.query ?? ''));
    const states = query.state?.split(',');
    const matching = namedPeople.filter(
      ({ state }) =>
        !states ||
        states.includes(state) ||
        (states.includes('attention') && !CALM_STATES.includes(state)),
    );
    const countOf = (state: ReachState) =>
      namedPeople.filter((person) => person.state === state).length;
    const summary: ReachSummary = {
      reachable: countOf('reachable'),
      late: countOf('late'),
      untested: countOf('untested'),
      silent: countOf('silent'),
      failing: countOf('failing'),
      no_device: countOf('no_device'),
      pending: countOf('pending'),
    };
    return {
      people: pageOfRows(matching, query),
      ...pageFields(matching, query),
      summary,
      lastTests,
    };
  };
}

export const createPushService = (change: Partial<PushServiceHealth> = {}): PushServiceHealth => ({
  name: 'Mozilla',
  state: 'accepting',
  since: minutesAgo(600),
  host: 'updates.push.services.mozilla.com',
  reason: null,
  acceptedAt: minutesAgo(1),
  triedAt: minutesAgo(1),
  waiting: 0,
  oldestAt: null,
  ...change,
});

/** 60 people and no faults. */
export function createOverview({
  health,
  ...change
}: Partial<Omit<Overview, 'health'>> & { health?: Partial<Overview['health']> } = {}): Overview {
  return {
    people: { total: 60, reachable: 44, pending: 6 },
    topics: { total: 12, withoutSubscribers: 1 },
    messages: [],
    ownDevices: 1,
    ...change,
    health: {
      delivery: 'ok',
      pushServices: [createPushService()],
      waiting: 0,
      mail: 'ok',
      mailSentAt: minutesAgo(20),
      webhooks: { failing: 0, off: 0, total: 0, waiting: 0, succeededAt: null },
      heldBack: [],
      ownEmail: true,
      lastBackupAt: minutesAgo(10 * 60),
      version: '1.4.0',
      ...health,
    },
  };
}
