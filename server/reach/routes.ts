import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { readBoard, readBoardQuery } from './board';
import { listOwnDevices } from './devices';

export function addReachRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  add('GET /api/notifications/devices', {
    action: 'devices.read',
    answer: ({ user }) => listOwnDevices(user.id, db, now()),
  });
  add('GET /api/admin/reach', {
    action: 'reach.read',
    answer: async ({ query }) => readBoard(await readBoardQuery(query, db), services),
  });
}
