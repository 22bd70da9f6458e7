/** Devices and their tests. */
import * as v from 'valibot';
import type { DeviceCalls, ReachCalls } from '../../../src/shared/contract';
import { idOf, uuidOf } from '../call';
import type { Area } from '../call';
import { device, reachDevice, registration, test } from '../samples';
import { done, text } from '../shapes/common';
import { device as deviceShape, deviceTest, ownDevice, registeredDevice } from '../shapes/devices';

const { deviceKey: _, ...known } = device;
const token = registration.deviceToken.replace('f4Yk', 'n7Qz');
const ofTest = { id: uuidOf('test', test.id) };

export const deviceCalls = {
  'GET /api/notifications/vapid-key': {
    does: 'Tell the server’s Web Push key',
    shape: v.object({ publicKey: text }),
    answer: {
      publicKey:
        'BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI',
    },
  },
  'POST /api/notifications/register-device': {
    does: 'Register this device',
    more: 'The same token again is the same device; one that another account had moves to the caller. Twenty devices are kept for each person.',
    body: registration,
    shape: registeredDevice,
    answer: device,
  },
  'PUT /api/notifications/device-token': {
    does: 'Give this device another token',
    more: 'Its push subscription changed while no page was open.',
    body: { deviceToken: token },
    shape: deviceShape,
    answer: { ...known, deviceToken: token },
  },
  'DELETE /api/notifications/unregister-device': {
    does: 'Unregister a device by its token',
    more: 'Only one’s own; an unknown token is no error.',
    body: { deviceToken: token },
    shape: done,
    answer: { message: 'The device was unregistered.' },
  },
  'GET /api/notifications/devices': {
    does: 'List one’s own devices',
    shape: v.array(ownDevice),
    answer: [{ ...known, reach: reachDevice }],
  },
  'DELETE /api/notifications/devices/:id': {
    does: 'Sign one of one’s own devices out',
    more: 'No notification, key or session of it lives on.',
    params: { id: idOf('device', device.id) },
    shape: done,
    answer: { message: 'The device was signed out.' },
  },
  'POST /api/notifications/tests': {
    does: 'Test one of one’s own devices',
    more: 'With a `delay` in seconds the server adds a hidden 0 to 60.',
    body: { deviceId: device.id, delay: 0 },
    shape: deviceTest,
    answer: {
      ...test,
      stages: { ...test.stages, accepted: null, received: null, displayed: null },
    },
    refusals: { 404: 'There is no such device.', 429: 'Ten tests an hour are the most.' },
  },
  'GET /api/notifications/tests/:id': {
    does: 'Read how far a test got',
    params: ofTest,
    shape: deviceTest,
    answer: test,
  },
  'POST /api/notifications/tests/:id/heard': {
    does: 'Say whether a test was heard',
    more: 'The last word counts.',
    params: ofTest,
    body: { heard: true },
    shape: deviceTest,
    answer: { ...test, stages: { ...test.stages, heard: '2026-11-20T06:58:09.000Z' } },
  },
} satisfies Partial<Area<DeviceCalls & ReachCalls>>;
