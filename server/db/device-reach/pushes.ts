/** Derives a device's reach from its push events. Times are milliseconds since 1970. */

/** A recent push. `acceptedAt` is null if a receipt came before the accept was recorded. */
export type ReachPush = readonly [
  /** The first characters of the message's or test's id. */
  key: string,
  acceptedAt: number | null,
  displayedAt: number | null,
  /** Whether only a press is known: the push was displayed some time before `displayedAt`. */
  isPress?: 1,
];

export interface DeviceReach {
  acceptedAt: number | null;
  thirdAcceptedAt: number | null;
  displayedAt: number | null;
  displayedAcceptedAt: number | null;
  rejectedAt: number | null;
  rejectedReason: string | null;
  rejections: number;
  medianDelay: number | null;
  /** Recent pushes, newest first. */
  recent: readonly ReachPush[];
}

/** An event of the push of one message or test to the device. */
export type PushEvent = { id: string; at: number } & (
  | { kind: 'accepted' }
  /** `sentAt`: when the message left, the earliest time of an accept. */
  | { kind: 'displayed'; sentAt: number }
  /** The person pressed the notification, so it was displayed. */
  | { kind: 'pressed'; sentAt: number }
  /** The push service rejected the push because of this device. */
  | { kind: 'rejected'; reason: string }
);

const KEY_LENGTH = 8;
const MAX_PUSHES_PER_DEVICE = 8;
/** Pushes never accepted must not displace accepted ones. */
const MAX_UNACCEPTED_PUSHES = 2;
const MEDIAN_SAMPLE_SIZE = 5;

/** @returns undefined if nothing changes */
export function reachAfter(reach: DeviceReach, event: PushEvent): DeviceReach | undefined {
  switch (event.kind) {
    case 'accepted':
      return recordAccept(reach, event.id, event.at);
    case 'displayed':
    case 'pressed':
      return recordDisplay(reach, event);
    case 'rejected':
      return {
        ...reach,
        rejectedAt: event.at,
        rejectedReason: event.reason,
        rejections: reach.rejections + 1,
      };
  }
}

function recordAccept(reach: DeviceReach, id: string, at: number): DeviceReach {
  const key = id.slice(0, KEY_LENGTH);
  const pushIndex = reach.recent.findIndex(
    ([pushKey, acceptedAt]) => pushKey === key && acceptedAt === null,
  );
  const [, , displayedAt = null, ...press] = reach.recent[pushIndex] ?? [key, at];
  const push: ReachPush = [key, at, displayedAt, ...press];
  const recent =
    pushIndex === -1 ? keepNewest([push, ...reach.recent]) : reach.recent.with(pushIndex, push);
  return {
    ...reach,
    ...summarize(recent),
    acceptedAt: laterTime(reach.acceptedAt, at),
    displayedAcceptedAt:
      displayedAt === null ? reach.displayedAcceptedAt : laterTime(reach.displayedAcceptedAt, at),
    rejectedAt: null,
    rejectedReason: null,
    rejections: 0,
  };
}

/** A repeated message has several pushes: the newest undisplayed one counts. */
function recordDisplay(
  reach: DeviceReach,
  { kind, id, at, sentAt }: PushEvent & { kind: 'displayed' | 'pressed' },
): DeviceReach | undefined {
  const { recent } = reach;
  const key = id.slice(0, KEY_LENGTH);
  const samePushes = recent.filter(([pushKey]) => pushKey === key);
  const isShown = ([, , shownAt]: ReachPush) => shownAt !== null;
  // The person may have pressed any of the pushes, so the press adds nothing if one was displayed.
  if (
    samePushes.length > 0 &&
    (kind === 'pressed' ? samePushes.some(isShown) : samePushes.every(isShown))
  )
    return undefined;
  const pushIndex = recent.findIndex((each) => each[0] === key && !isShown(each));
  const acceptedAt = recent[pushIndex]?.[1] ?? null;
  const push: ReachPush = kind === 'pressed' ? [key, acceptedAt, at, 1] : [key, acceptedAt, at];
  const updatedPushes =
    pushIndex === -1 ? addReported(push, sentAt, recent) : recent.with(pushIndex, push);
  return {
    ...reach,
    ...summarize(updatedPushes),
    displayedAt: laterTime(reach.displayedAt, at),
    displayedAcceptedAt: laterTime(reach.displayedAcceptedAt, acceptedAt ?? sentAt),
  };
}

/**
 * Adds a push that the device reported before the push service’s acceptance was recorded. A push
 * older than all kept ones was dropped before, so it is not added again.
 */
function addReported(
  push: ReachPush,
  sentAt: number,
  recent: readonly ReachPush[],
): readonly ReachPush[] {
  const wasDropped =
    recent.length === MAX_PUSHES_PER_DEVICE && recent.every(([, at]) => at !== null && at > sentAt);
  return wasDropped ? recent : keepNewest([push, ...recent]);
}

const laterTime = (a: number | null, b: number): number => Math.max(a ?? b, b);

function keepNewest(pushes: readonly ReachPush[]): ReachPush[] {
  let unacceptedCount = 0;
  return pushes
    .filter(([, acceptedAt]) => acceptedAt !== null || ++unacceptedCount <= MAX_UNACCEPTED_PUSHES)
    .slice(0, MAX_PUSHES_PER_DEVICE);
}

function summarize(
  recent: readonly ReachPush[],
): Pick<DeviceReach, 'recent' | 'thirdAcceptedAt' | 'medianDelay'> {
  const acceptTimes = recent.flatMap(([, acceptedAt]) => acceptedAt ?? []).sort((a, b) => b - a);
  return { recent, thirdAcceptedAt: acceptTimes[2] ?? null, medianDelay: medianDelay(recent) };
}

/** Negative delays count as 0, because a phone's clock may be slow. */
function medianDelay(recent: readonly ReachPush[]): number | null {
  const delays = recent
    .flatMap(([, acceptedAt, displayedAt, isPress]) =>
      acceptedAt === null || displayedAt === null || isPress
        ? []
        : Math.max(0, displayedAt - acceptedAt),
    )
    .slice(0, MEDIAN_SAMPLE_SIZE)
    .sort((a, b) => a - b);
  const middle = delays.length >> 1;
  const [lower, upper] = [delays[middle - 1], delays[middle]];
  if (upper === undefined) return null;
  return delays.length % 2 === 1 || lower === undefined ? upper : Math.round((lower + upper) / 2);
}
