/** What an administrator sees first, checked as `shapes.ts` says. */
import type { Overview } from '../../shared/contract';
import { sentMessage } from '../../shared/contract/messages' with { type: 'example' };
import { fits } from '../fits';
import { anyTime, like, type Check } from '../shapes';

const anOverview = like({
  people: { total: 0, reachable: 0, pending: 0 },
  topics: { total: 0, withoutSubscribers: 0 },
  messages: [],
  ownDevices: 0,
  health: { delivery: '', waiting: 0, mail: '', ownEmail: true, version: '' },
});

const someWebhooks = like({ failing: 0, off: 0 });
const aPushService = like({ name: '', state: '', host: '', waiting: 0 });
const somePushServices: Check<unknown> = (value) =>
  Array.isArray(value) && value.every(aPushService);

const aKey = like({ key: '', topic: '', alerts: 0, since: anyTime });
const someKeys: Check<unknown> = (value) => Array.isArray(value) && value.every(aKey);

export const overview: Check<Overview> = (answer) =>
  anOverview(answer) &&
  (answer as Overview).messages.every((message) => fits(message, sentMessage)) &&
  isMissingOr(someWebhooks, (answer as Overview).health.webhooks) &&
  isMissingOr(somePushServices, (answer as Overview).health.pushServices) &&
  isMissingOr(someKeys, (answer as Overview).health.heldBack);

const isMissingOr = (check: Check<unknown>, value: unknown): boolean =>
  value === undefined || check(value);
