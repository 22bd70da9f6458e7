import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { readOverview } from './overview';

export function addOverviewRoutes(add: AddRoute, services: Services): void {
  add('GET /api/admin/overview', {
    action: 'overview.read',
    answer: ({ user }) => readOverview(user, services),
  });
}
