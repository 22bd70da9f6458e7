import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { readBoard, parseBoardQuery } from './board';
import { listOwnDevices } from './devices';

export function addReachRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  add('GET /api/notifications/devices', {
    action: 'devices.read',
    respond: ({ user }) => listOwnDevices(user.id, db, now()),
  });
  add('GET /api/admin/reach', {
    action: 'reach.read',
    respond: async ({ query }) => readBoard(await parseBoardQuery(query, db), services),
  });
}
