import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { recordSoundAnswer, readDeviceTest, startTest } from './own-tests';
import { countRound } from './round-size';
import { startRound } from './test-rounds';

export function addDeviceTestRoutes(add: AddRoute, services: Services): void {
  const { db, now, wakePushWorker, wakeJobs } = services;
  add('POST /api/notifications/tests', {
    action: 'devices.test',
    status: 201,
    respond: async ({ body, user, transact }) => {
      const test = await startTest(body, user.id, transact, now());
      wakePushWorker();
      return test;
    },
  });
  add('GET /api/notifications/tests/:id', {
    action: 'devices.test',
    respond: ({ params, user }) => readDeviceTest(params.id, user.id, db, now()),
  });
  add('POST /api/notifications/tests/:id/heard', {
    action: 'devices.test',
    respond: ({ params, body, user, transact }) =>
      transact((transaction) =>
        recordSoundAnswer(params.id, body.heard, user.id, transaction, now()),
      ),
  });
  add('GET /api/admin/reach/tests', {
    action: 'reach.read',
    respond: () => countRound(db, now()),
  });
  add('POST /api/admin/reach/tests', {
    action: 'reach.test',
    status: 202,
    respond: async ({ body, transact }) => {
      const round = await startRound(body.userIds, transact, db, now());
      wakePushWorker();
      wakeJobs();
      return round;
    },
  });
}
