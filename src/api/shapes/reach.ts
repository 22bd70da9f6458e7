/**
 * Answers about tests of devices and how well people can be reached, checked as `shapes.ts` says. An
 * example has no place for a value that may be missing, so each of those has a check of its own.
 */
import type { Answer, Reach, ReachDevice, Test } from '../../shared/contract';
import { anyTime, like, type Check } from '../shapes';

type ReachPage = Answer<'GET /api/admin/reach'>;

export const aTest: Test = {
  id: '',
  deviceId: 0,
  createdAt: anyTime,
  sendAt: anyTime,
  stages: { queued: null, accepted: null, received: null, displayed: null, heard: null },
  failure: null,
  lateBy: null,
};
export const test = like(aTest);

export const aReachDevice: ReachDevice = {
  id: 0,
  state: 'untested',
  deviceType: 'web',
  browser: '',
  model: '',
  installed: null,
  lastSeenAt: anyTime,
  lastAcceptedAt: null,
  lastDisplayedAt: null,
  lastTest: null,
  unanswered: 0,
  refusals: 0,
};
const aPerson: Reach = {
  user: { id: 0, username: '', role: 'CUSTOMER' },
  state: 'untested',
  devices: [aReachDevice],
  lost: null,
  invitation: null,
};
const somePeople = like({
  people: [aPerson],
  summary: {
    reachable: 0,
    late: 0,
    untested: 0,
    silent: 0,
    failing: 0,
    no_device: 0,
    pending: 0,
  },
  total: 0,
  page: 1,
  limit: 25,
});
const orNull = (check: (value: unknown) => boolean) => (value: unknown) =>
  value === null || check(value);
const aTestOrNull = orNull(test);
const lostOrNull = orNull(like({ at: anyTime, why: '' }));
const invitationOrNull = orNull(like({ token: '', createdAt: anyTime }));
const lastTestsOrNull = orNull(like({ at: anyTime, devices: 0 }));

/** Of a device with its last test. */
export const isReachDevice = (value: unknown): boolean =>
  like(aReachDevice)(value) && aTestOrNull((value as ReachDevice).lastTest);

export const reachPage: Check<ReachPage> = (answer) =>
  somePeople(answer) &&
  lastTestsOrNull((answer as ReachPage).lastTests) &&
  (answer as ReachPage).people.every(
    ({ devices, lost, invitation }) =>
      devices.every(isReachDevice) && lostOrNull(lost) && invitationOrNull(invitation),
  );

export const testsStarted = like({ devices: 0 });
export const roundSize = like({ devices: 0, people: 0, quietDevices: 0, quietPeople: 0 });
