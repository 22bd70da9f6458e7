/** A person's reach, and the reason, in words. */
import type {
  LostDevice,
  ReachBoardPerson,
  ReachDevice,
  ReachState,
  DeviceTest,
} from '../../shared/contract';
import { plural } from '../../platform/plural';
import { serverNow } from '../../state/clock';
import { dayText, parseTime } from '../../ui/values/Day';
import { delayText } from '../../ui/values/duration';
import { isTestOpen } from './running-tests';
import { phoneMakeText } from '../../state/reach/phone-makes';
import { DEVICE_GONE, NO_DEVICE, NOT_REGISTERED } from '../not-reachable-texts';
import { nearText, nearTextInside } from './near-times';

/** The server counts up to this many pushes of a device. */
const MAX_COUNTED_PUSHES = 8;

const REACH_STATE_LABELS: Record<ReachState, { name: string; tone: string }> = {
  reachable: { name: 'Reachable', tone: 'ok' },
  late: { name: 'Late', tone: 'warn' },
  untested: { name: 'Untested', tone: 'warn' },
  silent: { name: 'Silent', tone: 'bad' },
  failing: { name: 'Failing', tone: 'bad' },
  no_device: { name: 'No device', tone: 'bad' },
  pending: { name: 'Not registered', tone: 'warn' },
};

/** States that need attention come first. */
export const REACH_FILTERS = [
  ['', 'Needs attention'],
  ...(['pending', 'no_device', 'silent', 'failing', 'untested', 'reachable', 'late'] as const).map(
    (state) => [state, REACH_STATE_LABELS[state].name] as const,
  ),
  ['all', 'Everyone'],
] as const;

/** Unknown states keep the server's name. A device that blocks notifications is still there. */
export const describeReachState = ({
  state,
  lost,
}: Pick<ReachBoardPerson, 'state' | 'lost'>): { name: string; tone?: string } =>
  state === 'no_device' && lost?.why === 'blocked'
    ? { name: 'Blocked', tone: 'bad' }
    : Object.hasOwn(REACH_STATE_LABELS, state)
      ? REACH_STATE_LABELS[state]
      : { name: String(state) };

/** The device that decides the person's state. */
export const decidingDevice = ({ state, devices }: ReachBoardPerson): ReachDevice | undefined =>
  devices.find((device) => device.state === state) ?? devices[0];

/** Whether the push service no longer knows the device. */
export const isUnregistered = (device: ReachDevice | undefined): boolean =>
  device?.lastTest?.failure?.reason === 'gone';

/** The reason for a person's state, as far as the server knows. */
export function reachReason(person: ReachBoardPerson): string {
  const device = decidingDevice(person);
  if (person.state === 'pending')
    return person.invitation
      ? `Link created ${dayText(person.invitation.createdAt)}, not used yet`
      : NOT_REGISTERED;
  if (!device) return lostText(person.lost);
  switch (person.state) {
    case 'failing':
      return isUnregistered(device) ? DEVICE_GONE : rejectedText(device);
    case 'silent':
      return `${phoneMakeText(device)}: ${acceptedCountText(device)} notifications accepted in 14 days, none displayed`;
    case 'untested':
      return `${phoneMakeText(device)}, nothing displayed yet`;
    case 'late':
      return `${phoneMakeText(device)}: notifications appear more than a minute late`;
    default:
      return device.lastDisplayedAt
        ? `${phoneMakeText(device)}, last notification displayed ${nearTextInside(device.lastDisplayedAt)}`
        : phoneMakeText(device);
  }
}

/** Whether the person's phone has the app open in a browser, where it is easily closed. */
export const usesBrowserTab = (person: ReachBoardPerson): boolean => {
  const device = decidingDevice(person);
  return device?.installed === false && device.deviceType !== 'web';
};

function lostText(lostDevice: LostDevice | null): string {
  if (!lostDevice) return NO_DEVICE;
  const day = dayText(lostDevice.at);
  switch (lostDevice.why) {
    case 'blocked':
      return 'Notifications are blocked on the device';
    case 'gone':
      return DEVICE_GONE;
    case 'signed_out':
      return `Last device signed out ${day}`;
    case 'replaced':
      return `Last device moved to another account ${day}`;
    default:
      return `Last device removed ${day}`;
  }
}

/** Describes rejections: `Rejected by the push service 4 times since yesterday`. */
function rejectedText({ refusals, lastAcceptedAt }: ReachDevice): string {
  const times = Math.max(1, refusals);
  if (!lastAcceptedAt)
    return plural(times, {
      one: 'Rejected by the push service once',
      other: `Rejected by the push service ${times.toLocaleString()} times`,
    });
  const since = nearTextInside(lastAcceptedAt);
  return plural(times, {
    one: `Rejected by the push service once since ${since}`,
    other: `Rejected by the push service ${times.toLocaleString()} times since ${since}`,
  });
}

const acceptedCountText = ({ unanswered }: ReachDevice): string =>
  unanswered >= MAX_COUNTED_PUSHES ? `${MAX_COUNTED_PUSHES} or more` : String(unanswered);

export function getRemedy(person: ReachBoardPerson): 'link' | 'advice' | 'test' {
  switch (person.state) {
    case 'pending':
      return 'link';
    case 'no_device':
    case 'silent':
    case 'late':
      return 'advice';
    case 'failing':
      return isUnregistered(decidingDevice(person)) ? 'advice' : 'test';
    default:
      return 'test';
  }
}

/** When a device of the person was last seen; empty if never. */
export const lastSeen = ({ devices, lost }: ReachBoardPerson): string =>
  findNewest(devices.map(({ lastSeenAt }) => lastSeenAt)) || lost?.at || '';

export function findLastTest({ devices }: ReachBoardPerson): DeviceTest | undefined {
  const tests = devices.flatMap(({ lastTest }) => lastTest ?? []);
  const newestTime = findNewest(tests.map(({ createdAt }) => createdAt));
  return tests.find(({ createdAt }) => createdAt === newestTime) ?? tests[0];
}

/** A test's result or progress. */
export function lastTestText(test: DeviceTest | undefined): string {
  if (!test) return '-';
  const { stages, failure, lateBy, createdAt } = test;
  if (failure)
    return `${failure.stage === 'heard' ? 'No sound' : 'Failed'} ${nearTextInside(createdAt, false)}`;
  if (stages.displayed)
    return typeof lateBy === 'number' ? `Late by ${delayText(lateBy)}` : nearText(stages.displayed);
  if (isTestOpen(test, serverNow())) return 'In progress';
  return stages.received ? 'Not displayed' : stages.accepted ? 'Not received' : 'Not sent';
}

/** The newest time; empty text if no time is known. */
const findNewest = (times: readonly string[]): string =>
  times.reduce((latest, time) => (parseTime(time) > (parseTime(latest) || 0) ? time : latest), '');
