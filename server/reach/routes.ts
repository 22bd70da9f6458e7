import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { listOwnDevices } from './own';
import { listReach, readWanted } from './people';

export function addReachRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  add('GET /api/notifications/devices', {
    action: 'devices.read',
    answer: ({ user }) => listOwnDevices(user.id, db, now()),
  });
  add('GET /api/admin/reach', {
    action: 'reach.read',
    answer: ({ query }) => listReach(readWanted(query), services),
  });
}
