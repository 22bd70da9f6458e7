import type {
  PushServiceHealth,
  PushServiceHealthState,
  Timestamp,
} from '../../src/shared/contract';
import type { Config } from '../config/config';
import type { Database } from '../db/open';
import { listPushServices, readPushQueues } from '../db/push-outcomes';
import type { ListedPushService, PushQueue } from '../db/push-outcomes';
import { findFcmService, hostOfService } from '../db/push-services';
import { createAllowlist } from '../delivery/queue/allowlist';
import { toTime, toTimeOrNull } from '../lib/clock';
import { MINUTE_MS } from '../lib/durations';

interface PushServiceReader {
  db: Database;
  now(): number;
  config: Pick<Config, 'serviceAccount' | 'pushAllowedHosts'>;
}

/** How long a push says something about its service. */
const EVIDENCE_VALID_MS = 5 * MINUTE_MS;
/** A failing service is retried more often, unless no process runs. */
const FAILURE_VALID_MS = 10 * MINUTE_MS;
const LATE_PUSH_MS = 5 * MINUTE_MS;

const HOSTS_BY_SERVICE: readonly (readonly [PushServiceHealth['name'], ...string[]])[] = [
  ['Google', 'fcm.googleapis.com', 'jmt17.google.com'],
  ['Mozilla', 'push.services.mozilla.com'],
  ['Apple', 'push.apple.com'],
  ['Microsoft', 'notify.windows.com'],
];

/** Worst first: a name has several hosts, and the installation several names. */
const STATES_WORST_FIRST: readonly PushServiceHealthState[] = [
  'unreachable',
  'refusing',
  'throttled',
  'unknown',
  'not_set_up',
  'reachable',
  'accepting',
  'quiet',
];
const byRank = (
  a: { state: PushServiceHealthState },
  b: { state: PushServiceHealthState },
): number => STATES_WORST_FIRST.indexOf(a.state) - STATES_WORST_FIRST.indexOf(b.state);

function findServiceName(origin: string): PushServiceHealth['name'] {
  if (origin === 'fcm') return 'FCM';
  const host = hostOfService(origin, null);
  const isListedHost = (listedHost: string): boolean =>
    host === listedHost || host.endsWith(`.${listedHost}`);
  return HOSTS_BY_SERVICE.find(([, ...hosts]) => hosts.some(isListedHost))?.[0] ?? 'Others';
}

/** Times are milliseconds since 1970. */
interface RatedService {
  id: number;
  origin: string;
  state: PushServiceHealthState;
  since: number | null;
  reason: string | null;
  acceptedAt: number | null;
  triedAt: number | null;
  throttledUntil: number | null;
}

function rateService(row: ListedPushService, now: number): RatedService {
  const { id, origin, accepted_at: acceptedAt, refused_at, unreachable_at } = row;
  const attemptTimes = [acceptedAt, refused_at, unreachable_at].filter((at) => at !== null);
  const triedAt = attemptTimes.length > 0 ? Math.max(...attemptTimes) : null;
  const isTrouble = row.state === 'unreachable' || row.state === 'refusing';
  const age = now - (triedAt ?? 0);
  let state: PushServiceHealthState = row.state ?? 'unknown';
  if (isTrouble && age > FAILURE_VALID_MS) state = 'unknown';
  if (!isTrouble && age > EVIDENCE_VALID_MS) state = 'quiet';
  // A throttled service accepts some pushes, and rejects others until later.
  const isLimit = state === 'refusing' && row.refused_reason === 'status-429';
  const isThrottled = (row.throttled_until ?? 0) > now && (isLimit || state === 'accepting');
  if (isThrottled) state = 'throttled';
  const reason = row.state === 'refusing' ? row.refused_reason : row.unreachable_reason;
  return {
    id,
    origin,
    state,
    since: state === 'quiet' ? (acceptedAt ?? row.state_since) : row.state_since,
    reason: isTrouble ? reason : null,
    acceptedAt,
    triedAt,
    throttledUntil: isThrottled ? row.throttled_until : null,
  };
}

/** If there is no service account, FCM is not in use, whatever is stored. */
async function readRatedServices({ db, now, config }: PushServiceReader): Promise<RatedService[]> {
  const ratedServices = (await listPushServices(db)).map((row) => rateService(row, now()));
  return config.serviceAccount
    ? ratedServices
    : ratedServices.filter(({ origin }) => origin !== 'fcm');
}

export async function readPushServices(reader: PushServiceReader): Promise<PushServiceHealth[]> {
  const { db, now, config } = reader;
  const ratedServices = await readRatedServices(reader);
  const fcm = config.serviceAccount ? undefined : await findFcmService(db);
  const ids = [...ratedServices.map(({ id }) => id), ...(fcm === undefined ? [] : [fcm])];
  const queues = await readPushQueues(ids, db, now());
  if (fcm !== undefined && queues.has(fcm)) ratedServices.push(withoutAccount(fcm));
  const servicesByName = new Map<PushServiceHealth['name'], RatedService[]>();
  for (const service of ratedServices.sort(byRank)) {
    const name = findServiceName(service.origin);
    servicesByName.set(name, [...(servicesByName.get(name) ?? []), service]);
  }
  return [...servicesByName].map(([name, services]) => describeService(name, services, queues));
}

const withoutAccount = (id: number): RatedService => ({
  id,
  origin: 'fcm',
  state: 'not_set_up',
  since: null,
  reason: null,
  acceptedAt: null,
  triedAt: null,
  throttledUntil: null,
});

function describeService(
  name: PushServiceHealth['name'],
  services: readonly RatedService[],
  queues: ReadonlyMap<number, PushQueue>,
): PushServiceHealth {
  const [{ origin, state, since, reason, throttledUntil }] = services as [RatedService];
  const waitingQueues = services.flatMap(({ id }) => queues.get(id) ?? []);
  const oldestTimes = waitingQueues.map(({ oldestAt }) => oldestAt);
  const latestTime = (times: (number | null)[]): number | null =>
    times.reduce(
      (latest, at) => (at !== null && (latest === null || at > latest) ? at : latest),
      null,
    );
  return {
    name,
    state,
    // If all services are quiet, the latest time counts: until then there was traffic.
    since: toTimeOrNull(
      state === 'quiet' ? latestTime(services.map((service) => service.since)) : since,
    ),
    host: hostOfService(origin, reason),
    reason,
    ...(throttledUntil !== null && { throttledUntil: toTime(throttledUntil) }),
    acceptedAt: toTimeOrNull(latestTime(services.map((service) => service.acceptedAt))),
    triedAt: toTimeOrNull(latestTime(services.map((service) => service.triedAt))),
    waiting: waitingQueues.reduce((sum, queue) => sum + queue.waiting, 0),
    oldestAt: oldestTimes.length > 0 ? toTimeOrNull(Math.min(...oldestTimes)) : null,
  };
}

interface PushServicesVerdict {
  state: Exclude<PushServiceHealthState, 'not_set_up'> | 'unused';
  since: Timestamp | null;
  /** `late` also if pushes wait for minutes and none was accepted. */
  delivery: 'ok' | 'late' | 'refused';
}

/** Cheap, since anyone may call it: reads queues only if nothing was accepted for minutes. */
export async function ratePushServices(reader: PushServiceReader): Promise<PushServicesVerdict> {
  const { db, now, config } = reader;
  const services = (await readRatedServices(reader)).sort(byRank);
  const [worstService] = services;
  if (worstService === undefined) return { state: 'unused', since: null, delivery: 'ok' };
  const allowlist = createAllowlist(config.pushAllowedHosts);
  const lateBefore = now() - LATE_PUSH_MS;
  // An unknown host of one person makes nothing late.
  const silentServices = services.filter(
    ({ state, origin, acceptedAt }) =>
      state !== 'unreachable' && (acceptedAt ?? 0) < lateBefore && allowlist.has(origin),
  );
  const queues = await readPushQueues(
    silentServices.map(({ id }) => id),
    db,
    now(),
  );
  const isLate =
    worstService.state === 'unreachable' ||
    [...queues.values()].some(({ oldestAt }) => oldestAt < lateBefore);
  const isRejected = services.some(({ state }) => state === 'refusing');
  const since =
    worstService.state === 'quiet'
      ? Math.max(...services.map((service) => service.since ?? 0))
      : worstService.since;
  return {
    state: worstService.state as PushServicesVerdict['state'],
    since: toTimeOrNull(since),
    delivery: isRejected ? 'refused' : isLate ? 'late' : 'ok',
  };
}
