/** What an administrator sees first, checked as `shapes.ts` says. */
import type { Overview } from '../shared/contract';
import { report } from './admin-shapes';
import { like, type Check } from './shapes';

const anOverview = like({
  people: { total: 0, reachable: 0, pending: 0 },
  topics: { total: 0, withoutSubscribers: 0 },
  messages: [],
  ownDevices: 0,
  health: { delivery: '', waiting: 0, mail: '', ownEmail: true, version: '' },
});

export const overview: Check<Overview> = (answer) =>
  anOverview(answer) && (answer as Overview).messages.every(report);
