/** What push services do with our pushes, by the names that people know them by. */
import type { PushServiceHealth, PushServiceStatus, Timestamp } from '../../src/shared/contract';
import type { Config } from '../config/config';
import type { Database } from '../db/open';
import { listPushServices, readPushQueues } from '../db/push-outcomes';
import type { ListedPushService, PushQueue } from '../db/push-outcomes';
import { findFcm, hostOfService } from '../db/push-services';
import { createAllowlist } from '../delivery/queue/allowlist';
import { toTimeOrNull } from '../lib/clock';

interface PushServiceReader {
  db: Database;
  now(): number;
  config: Pick<Config, 'serviceAccount' | 'pushAllowedHosts'>;
}

const MINUTE = 60_000;
/** A service to which nothing was sent for so long is quiet: nothing is known of this moment. */
const QUIET_MILLISECONDS = 5 * MINUTE;
/** What is in trouble is tried more often than this, unless no process is there to do so. */
const STALE_MILLISECONDS = 10 * MINUTE;
/** A push that no service accepted for so long is late. */
const LATE_MILLISECONDS = 5 * MINUTE;

const HOSTS: readonly (readonly [PushServiceHealth['name'], ...string[]])[] = [
  ['Google', 'fcm.googleapis.com', 'jmt17.google.com'],
  ['Mozilla', 'push.services.mozilla.com'],
  ['Apple', 'push.apple.com'],
  ['Microsoft', 'notify.windows.com'],
];

/** The worst first: a name stands for several hosts, and the installation for several names. */
const RANKS: readonly PushServiceStatus[] = [
  'unreachable',
  'refusing',
  'unknown',
  'not_set_up',
  'reachable',
  'accepting',
  'quiet',
];
const byRank = (one: { state: PushServiceStatus }, other: { state: PushServiceStatus }): number =>
  RANKS.indexOf(one.state) - RANKS.indexOf(other.state);

function nameOf(origin: string): PushServiceHealth['name'] {
  if (origin === 'fcm') return 'FCM';
  const host = hostOfService(origin, null);
  const isOf = (known: string): boolean => host === known || host.endsWith(`.${known}`);
  return HOSTS.find(([, ...hosts]) => hosts.some(isOf))?.[0] ?? 'Others';
}

/** Of one service; times are milliseconds since 1970. */
interface Judged {
  id: number;
  origin: string;
  state: PushServiceStatus;
  since: number | null;
  reason: string | null;
  acceptedAt: number | null;
  triedAt: number | null;
}

function judge(row: ListedPushService, now: number): Judged {
  const { id, origin, accepted_at: acceptedAt, refused_at, unreachable_at } = row;
  const tries = [acceptedAt, refused_at, unreachable_at].filter((at) => at !== null);
  const triedAt = tries.length > 0 ? Math.max(...tries) : null;
  const isTrouble = row.state === 'unreachable' || row.state === 'refusing';
  const age = now - (triedAt ?? 0);
  let state: PushServiceStatus = row.state ?? 'unknown';
  if (isTrouble && age > STALE_MILLISECONDS) state = 'unknown';
  if (!isTrouble && age > QUIET_MILLISECONDS) state = 'quiet';
  const reason = row.state === 'refusing' ? row.refused_reason : row.unreachable_reason;
  return {
    id,
    origin,
    state,
    since: state === 'quiet' ? (acceptedAt ?? row.state_since) : row.state_since,
    reason: isTrouble ? reason : null,
    acceptedAt,
    triedAt,
  };
}

/** FCM without a service account is asked by nobody, whatever was so before. */
async function readJudged({ db, now, config }: PushServiceReader): Promise<Judged[]> {
  const judged = (await listPushServices(db)).map((row) => judge(row, now()));
  return config.serviceAccount ? judged : judged.filter(({ origin }) => origin !== 'fcm');
}

/** For each name all that is known of its services, with what waits for them. */
export async function readPushServices(reader: PushServiceReader): Promise<PushServiceHealth[]> {
  const { db, now, config } = reader;
  const judged = await readJudged(reader);
  const fcm = config.serviceAccount ? undefined : await findFcm(db);
  const ids = [...judged.map(({ id }) => id), ...(fcm === undefined ? [] : [fcm])];
  const queues = await readPushQueues(ids, db, now());
  if (fcm !== undefined && queues.has(fcm)) judged.push(withoutAccount(fcm));
  const names = new Map<PushServiceHealth['name'], Judged[]>();
  for (const one of judged.sort(byRank)) {
    const name = nameOf(one.origin);
    names.set(name, [...(names.get(name) ?? []), one]);
  }
  return [...names].map(([name, services]) => describe(name, services, queues));
}

const withoutAccount = (id: number): Judged => ({
  id,
  origin: 'fcm',
  state: 'not_set_up',
  since: null,
  reason: null,
  acceptedAt: null,
  triedAt: null,
});

/** @param services the worst first */
function describe(
  name: PushServiceHealth['name'],
  services: readonly Judged[],
  queues: ReadonlyMap<number, PushQueue>,
): PushServiceHealth {
  const [{ origin, state, since, reason }] = services as [Judged];
  const waiting = services.flatMap(({ id }) => queues.get(id) ?? []);
  const oldest = waiting.map(({ oldestAt }) => oldestAt);
  const latest = (times: (number | null)[]): number | null =>
    times.reduce((last, at) => (at !== null && (last === null || at > last) ? at : last), null);
  return {
    name,
    state,
    // The latest of several that are quiet: until then there was traffic.
    since: toTimeOrNull(state === 'quiet' ? latest(services.map((one) => one.since)) : since),
    host: hostOfService(origin, reason),
    reason,
    acceptedAt: toTimeOrNull(latest(services.map((one) => one.acceptedAt))),
    triedAt: toTimeOrNull(latest(services.map((one) => one.triedAt))),
    waiting: waiting.reduce((sum, one) => sum + one.waiting, 0),
    oldestAt: oldest.length > 0 ? toTimeOrNull(Math.min(...oldest)) : null,
  };
}

/** What strangers may know. */
interface PushServicesVerdict {
  /** Of the service that is worst off; `unused` before the first push. */
  state: Exclude<PushServiceStatus, 'not_set_up'> | 'unused';
  since: Timestamp | null;
  /** `late` also where pushes wait for minutes, and none was accepted meanwhile. */
  delivery: 'ok' | 'late' | 'refused';
}

/** Cheap, as anybody may ask: it looks at what waits only where nothing was accepted for minutes. */
export async function judgePushServices(reader: PushServiceReader): Promise<PushServicesVerdict> {
  const { db, now, config } = reader;
  const judged = (await readJudged(reader)).sort(byRank);
  const [worst] = judged;
  if (worst === undefined) return { state: 'unused', since: null, delivery: 'ok' };
  const allowlist = createAllowlist(config.pushAllowedHosts);
  const late = now() - LATE_MILLISECONDS;
  // One person's host that no operator knows makes nothing late.
  const silent = judged.filter(
    ({ state, origin, acceptedAt }) =>
      state !== 'unreachable' && (acceptedAt ?? 0) < late && allowlist.has(origin),
  );
  const queues = await readPushQueues(
    silent.map(({ id }) => id),
    db,
    now(),
  );
  const isLate =
    worst.state === 'unreachable' || [...queues.values()].some(({ oldestAt }) => oldestAt < late);
  const isRefused = judged.some(({ state }) => state === 'refusing');
  const since =
    worst.state === 'quiet' ? Math.max(...judged.map((one) => one.since ?? 0)) : worst.since;
  return {
    state: worst.state as PushServicesVerdict['state'],
    since: toTimeOrNull(since),
    delivery: isRefused ? 'refused' : isLate ? 'late' : 'ok',
  };
}
