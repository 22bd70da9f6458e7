/** The administrator's reach board: reading, testing, removing devices. */
import { call } from '../../api/call';
import { withCause } from '../../api/with-cause';
import type {
  ResponseOf,
  ReachBoardPerson,
  ReachState,
  ReachSummary,
  RoundSize,
} from '../../shared/contract';
import {
  reachPageSchema,
  roundSizeSchema,
  testsStartedSchema,
} from '../../shared/contract/reach' with { type: 'example' };
import { REACHABLE_STATES } from '../../shared/reach-states';
import type { PageOf, PageRequest } from '../read-all-pages';

export const REACH_FAILED = 'Failed to check who’s reachable.';
export const DEVICE_COUNT_FAILED = 'Failed to count the devices.';
export const DEVICES_TEST_FAILED = 'Failed to test the devices.';
export const DEVICE_REMOVE_FAILED = 'Failed to remove the device.';

/** The server's limit. */
const MAX_PAGE_SIZE = 100;
/** An administrator phones at most this many people. */
export const MAX_NAMES = 1000;

export { sumReachable } from '../../shared/reach-states';

export interface ReachFilter {
  /** `reachable` includes `late`. */
  state: ReachState | 'attention' | 'all';
  /** A topic's id, or empty. */
  topic: string;
  /** A team's id, or empty. */
  team?: string;
}

export interface ReachBoardPage extends PageOf<ReachBoardPerson> {
  /** Counts everyone who matches the search and topic, in any state. */
  summary: ReachSummary;
  suspended?: number;
  lastTests: ResponseOf<'GET /api/admin/reach'>['lastTests'];
}

/** @throws {ApiError} */
export async function readReach(
  request: PageRequest,
  { state, topic, team }: ReachFilter,
): Promise<ReachBoardPage> {
  const { people, ...board } = await call('GET /api/admin/reach', {
    query: {
      ...request,
      ...(state === 'all'
        ? undefined
        : { state: state === 'reachable' ? REACHABLE_STATES.join(',') : state }),
      ...(topic ? { topic: Number(topic) } : undefined),
      ...(team ? { team: Number(team) } : undefined),
    },
    fallback: REACH_FAILED,
    like: reachPageSchema,
  }).catch(withCause(REACH_FAILED));
  // One row per person, even if the server repeats someone.
  const rows = [...new Map(people.map((one) => [String(one.user.id), one])).values()];
  return { rows, ...board };
}

/** Reads at most `MAX_NAMES` usernames. */
export async function readReachNames(query: string, filter: ReachFilter): Promise<string[]> {
  const names = new Set<string>();
  for (let page = 1; page <= MAX_NAMES / MAX_PAGE_SIZE; page++) {
    const { rows, total, limit } = await readReach({ page, limit: MAX_PAGE_SIZE, query }, filter);
    for (const { user } of rows) names.add(user.username);
    if (rows.length === 0 || page * (limit > 0 ? limit : MAX_PAGE_SIZE) >= total) break;
  }
  return [...names].slice(0, MAX_NAMES);
}

/**
 * How many devices a test of all would notify.
 * @throws {ApiError}
 */
export const countTestableDevices = (): Promise<RoundSize> =>
  call('GET /api/admin/reach/tests', { fallback: DEVICE_COUNT_FAILED, like: roundSizeSchema });

/**
 * Tests one person's devices, or everyone's.
 * @throws {ApiError} 429 if all were tested in the last five minutes
 */
export const testDevices = (userId?: number): Promise<ResponseOf<'POST /api/admin/reach/tests'>> =>
  call('POST /api/admin/reach/tests', {
    body: userId === undefined ? {} : { userIds: [userId] },
    fallback: DEVICES_TEST_FAILED,
    like: testsStartedSchema,
  });

/** Signs a device out: it gets no more notifications, and its session ends. */
export const removeUserDevice = (id: number): Promise<unknown> =>
  call('DELETE /api/admin/devices/:id', { params: { id }, fallback: DEVICE_REMOVE_FAILED });
