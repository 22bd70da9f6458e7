/** Devices, their tests, and how well they can be reached. */
import * as v from 'valibot';
import type {
  Device,
  LostDevice,
  OwnDevice,
  Reach,
  ReachDevice,
  ReachSummary,
  RegisteredDevice,
  Test,
} from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { role } from '../../../src/shared/contract/accounts';
import { count, id, maybeTime, text, time, uuid } from './common';

export const deviceType = v.picklist(['android', 'ios', 'web']);
const ofDevice = {
  id,
  deviceToken: v.pipe(
    text,
    v.description('An FCM token, or a Web Push subscription object as JSON text.'),
  ),
  deviceType,
  userAgent: text,
  createdAt: time,
  lastSeenAt: time,
};
export const device = shapeOf<Device>()(v.object(ofDevice));
export const registeredDevice = shapeOf<RegisteredDevice>()(
  v.object({
    ...ofDevice,
    deviceKey: v.pipe(
      text,
      v.description('With it the device may speak while the app is closed. Keep it secret.'),
    ),
  }),
);

const stage = v.picklist(['queued', 'accepted', 'received', 'displayed', 'heard']);
export const deviceTest = shapeOf<Test>()(
  v.object({
    id: uuid,
    deviceId: id,
    createdAt: time,
    sendAt: time,
    stages: v.pipe(
      v.object({
        queued: maybeTime,
        accepted: maybeTime,
        received: maybeTime,
        displayed: maybeTime,
        heard: maybeTime,
      }),
      v.description('When each stage was reached.'),
    ),
    failure: v.nullable(
      v.object({
        stage,
        reason: v.picklist([
          'gone',
          'refused',
          'unreachable',
          'busy',
          'expired',
          'removed',
          'silent',
        ]),
      }),
    ),
    lateBy: v.pipe(
      v.nullable(count),
      v.description('Milliseconds from `sendAt` to displayed where that is over 30 s.'),
    ),
  }),
);

const state = v.picklist([
  'reachable',
  'late',
  'untested',
  'silent',
  'failing',
  'no_device',
  'pending',
]);
export const reachDevice = shapeOf<ReachDevice>()(
  v.object({
    id,
    state: v.pipe(state, v.description('Never `no_device` or `pending`.')),
    deviceType,
    browser: text,
    model: text,
    installed: v.nullable(v.boolean()),
    lastSeenAt: time,
    lastAcceptedAt: maybeTime,
    lastDisplayedAt: maybeTime,
    lastTest: v.nullable(deviceTest),
    unanswered: v.pipe(
      count,
      v.description('Pushes that were accepted and not displayed since one last was: 0 to 8.'),
    ),
    refusals: v.pipe(count, v.description('How often in a row it was refused last.')),
  }),
);
export const ownDevice = shapeOf<OwnDevice>()(
  v.object({ ...ofDevice, reach: v.exactOptional(reachDevice) }),
);

export const lostDevice = shapeOf<LostDevice>()(
  v.object({
    at: time,
    why: v.picklist(['signed_out', 'removed', 'gone', 'blocked', 'replaced']),
  }),
);
export const reach = shapeOf<Reach>()(
  v.object({
    user: v.object({ id, username: text, role }),
    state,
    devices: v.array(reachDevice),
    lost: v.pipe(v.nullable(lostDevice), v.description('How the last device was lost.')),
    invitation: v.pipe(
      v.nullable(v.object({ token: text, createdAt: time })),
      v.description('Only while registration is not completed.'),
    ),
  }),
);
export const reachSummary = shapeOf<ReachSummary>()(
  v.object({
    reachable: count,
    late: count,
    untested: count,
    silent: count,
    failing: count,
    no_device: count,
    pending: count,
  }),
);
