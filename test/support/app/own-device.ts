import type { OwnDevice, ReachDevice, DeviceTest } from '../../../src/shared/contract';

/** A test that succeeded at 06:58 of that day. */
export function createSucceededTest(change: Partial<DeviceTest> = {}): DeviceTest {
  const timeAt = (seconds: number) =>
    new Date(Date.UTC(2026, 10, 20, 6, 58, seconds)).toISOString();
  return {
    id: 'test-1',
    deviceId: 5,
    createdAt: timeAt(0),
    sendAt: timeAt(0),
    stages: {
      queued: timeAt(0),
      accepted: timeAt(1),
      received: timeAt(2),
      displayed: timeAt(2),
      heard: timeAt(9),
    },
    failure: null,
    lateBy: null,
    ...change,
  };
}

export const createOwnDeviceReach = (change: Partial<ReachDevice> = {}): ReachDevice => ({
  id: 5,
  state: 'untested',
  deviceType: 'android',
  browser: 'Chrome',
  model: 'SM-A047F',
  installed: true,
  lastSeenAt: '2026-11-20T06:58:00.000Z',
  lastAcceptedAt: null,
  lastDisplayedAt: null,
  lastTest: null,
  unanswered: 0,
  refusals: 0,
  ...change,
});

export const createOwnDevice = (
  change: Partial<OwnDevice> = {},
  reach: Partial<ReachDevice> = {},
): OwnDevice => ({
  id: 5,
  deviceToken: 'token-5',
  deviceType: 'android',
  userAgent: '',
  createdAt: '2024-03-03T08:00:00.000Z',
  lastSeenAt: '2026-11-20T06:58:00.000Z',
  reach: createOwnDeviceReach({ id: change.id ?? 5, ...reach }),
  ...change,
});
