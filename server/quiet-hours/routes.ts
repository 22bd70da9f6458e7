import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { readHours, saveHours } from './hours';

export function addQuietHoursRoutes(add: AddRoute, { db, now, wakeJobs }: Services): void {
  add('GET /api/notifications/quiet-hours', {
    action: 'preferences.read',
    respond: ({ user }) => readHours(user.id, db, now()),
  });
  add('PUT /api/notifications/quiet-hours', {
    action: 'preferences.change',
    respond: async ({ user, body, transact }) => {
      await transact((transaction) => saveHours(user.id, body, transaction, now()));
      wakeJobs();
      return readHours(user.id, db, now());
    },
  });
}
