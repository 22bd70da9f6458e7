/**
 * Follows what each push service does with our pushes. State is kept in memory and written for all
 * processes: changes at once, times every few seconds.
 */
import { retryNow, listPushServices, recordPushService } from '../../db/push-outcomes';
import { throttleService } from '../../db/push-pacing';
import type { Database } from '../../db/open';
import type { PushServiceState } from '../../db/schema';
import { hasDue } from '../../db/outbox/queues';
import { NO_SERVICE, hostOfService, getPushServiceName } from '../../db/push-services';
import type { Log } from '../../lib/log';
import type { ServiceBreaker } from './breaker';
import type { ServiceProbe, ServiceSignal } from '../transport';
import type { ServiceTrust } from './service-slots';
import type { Allowlist } from './allowlist';

/** A service fails after this many failures in a row, or two that are this far apart. */
const MIN_FAILURES = 5;
const LASTING_FAILURE_MS = 10_000;
/** People that an unlisted service must fail: one person's device proves nothing. */
const MIN_FAILED_PEOPLE = 3;
/** A service that demands such a wait throttles us, and is paced until this long after it. */
const THROTTLING_WAIT_MS = 30_000;
const PACED_AFTER_WAIT_MS = 10 * 60_000;
/** Milliseconds between writes while nothing changes. */
const WRITE_EVERY_MS = 5_000;
/** Milliseconds between probes of an unreachable service, plus up to a tenth. */
const PROBE_EVERY_MS = 30_000;
/** How many reasons for retries are remembered. */
const MAX_RETRY_REASONS = 8;
const MAX_KNOWN_SERVICES = 256;

interface FailingService {
  kind: 'unreachable' | 'rejected';
  times: number;
  /** The first failure: milliseconds since 1970, and of the monotonic clock. */
  at: number;
  since: number;
  people: Set<number>;
}

interface ServiceState {
  id: number;
  origin: string;
  isAllowed: boolean;
  state?: PushServiceState;
  /** Milliseconds since 1970. */
  since: number;
  /** Whether this process logged that the service is unreachable. */
  isLogged: boolean;
  failing?: FailingService | undefined;
  /** Why pushes waited while the service was unreachable. */
  reasons: Set<string>;
  acceptedAt?: number;
  rejected?: { at: number; reason: string };
  unreachable?: { at: number; reason: string };
  /** The time until which the service throttles us, in milliseconds since 1970. */
  throttledUntil: number;
  isThrottleStored: boolean;
  /** What still has to be stored: a changed state is stored at once, changed times only now and then. */
  unwritten?: 'change' | 'time' | undefined;
  writtenAt: number;
  probeAt: number;
  /** The service responded again after it was unreachable, so waiting pushes are retried. */
  isBack: boolean;
  /** Successful probes in a row without a failed push. */
  successes: number;
}

type ServiceFailure = Extract<ServiceSignal, { kind: 'unreachable' | 'rejected' }> & {
  userId?: number;
};
/** The push that an outcome came from. */
interface PushSource {
  service: number;
  userId: number;
  token: string;
}

interface ServiceStatesSettings {
  db: Database;
  log: Log;
  /** Milliseconds since 1970, and of the monotonic clock. */
  now: () => number;
  elapsed: () => number;
  random: () => number;
  breaker: ServiceBreaker;
  allowlist: Allowlist;
  probe: ServiceProbe;
}

interface ServiceStates {
  /** Records what an attempt revealed. Runs no statement. */
  record(push: PushSource, signal: ServiceSignal, trust: ServiceTrust): void;
  /**
   * Writes changes, probes unreachable services, and retries pushes where one replies again. Call
   * it in every turn.
   * @param isLast writes times before they are due
   * @returns whether to look for pushes now
   */
  maintain(isLast?: boolean): Promise<boolean>;
}

export function createServiceStates(settings: ServiceStatesSettings): ServiceStates {
  const { db, log, now, elapsed, random, breaker, allowlist, probe } = settings;
  const services = new Map<number, ServiceState>();
  let isAdopted = false;
  let isStopped = false;

  function addService(id: number, origin: string): ServiceState {
    const service: ServiceState = {
      id,
      origin,
      isAllowed: allowlist.has(origin),
      since: now(),
      isLogged: false,
      reasons: new Set(),
      throttledUntil: 0,
      isThrottleStored: true,
      writtenAt: -Infinity,
      probeAt: 0,
      isBack: false,
      successes: 0,
    };
    services.set(id, service);
    const [oldest] = services.keys();
    if (services.size > MAX_KNOWN_SERVICES && oldest !== undefined) services.delete(oldest);
    return service;
  }

  /** Takes over services that an earlier process found unreachable, or that state would stay. */
  async function adoptUnreachable(): Promise<void> {
    if (isAdopted) return;
    for (const { id, origin, state, state_since, unreachable_reason } of await listPushServices(
      db,
    )) {
      if (state !== 'unreachable' || services.has(id)) continue;
      const service = addService(id, origin);
      Object.assign(service, { state, since: state_since ?? now() });
      if (unreachable_reason !== null) service.reasons.add(unreachable_reason);
    }
    isAdopted = true;
  }

  function changeState(service: ServiceState, state: PushServiceState, since: number): void {
    const { state: formerState, since: formerSince } = service;
    if (formerState === state) return;
    service.state = state;
    service.since = since;
    service.unwritten = 'change';
    if (state === 'unreachable') service.probeAt = elapsed() + probePause();
    const host = displayedHost(service);
    if (formerState === 'unreachable') {
      service.isBack = true;
      service.isLogged = false;
      log.info('push service reachable again', {
        host,
        seconds: Math.round((now() - formerSince) / 1000),
      });
    } else if (formerState === 'refusing' && state === 'accepting')
      log.info('push service accepts pushes again', { host });
  }

  const probePause = (): number => PROBE_EVERY_MS * (1 + random() / 10);

  function recordFailure(service: ServiceState, { userId, ...signal }: ServiceFailure): void {
    const { kind, reason } = signal;
    const isSure = signal.kind === 'rejected' && signal.isSure;
    const time = { at: now(), reason };
    if (kind === 'unreachable') service.unreachable = time;
    else service.rejected = time;
    service.unwritten ??= 'time';
    if (kind === 'unreachable' && service.reasons.size < MAX_RETRY_REASONS)
      service.reasons.add(reason);
    const failure =
      service.failing?.kind === kind
        ? service.failing
        : { kind, times: 0, at: now(), since: elapsed(), people: new Set<number>() };
    service.failing = failure;
    failure.times += 1;
    service.successes = 0;
    if (userId !== undefined && failure.people.size < MIN_FAILED_PEOPLE) failure.people.add(userId);
    const isLasting =
      failure.times >= MIN_FAILURES ||
      (failure.times > 1 && elapsed() - failure.since >= LASTING_FAILURE_MS);
    const mayBeOneDevice = !service.isAllowed || (signal.kind === 'rejected' && signal.isBusy);
    const isConfirmed = !mayBeOneDevice || failure.people.size >= MIN_FAILED_PEOPLE;
    // A rejection by an unreachable service is a reply.
    if (!isSure && !(isLasting && isConfirmed)) {
      if (kind === 'rejected' && service.state === 'unreachable')
        changeState(service, 'reachable', now());
      return;
    }
    if (signal.kind === 'rejected' && signal.isBusy) recordThrottling(service, signal.until ?? 0);
    const isNew = service.state !== 'refusing';
    changeState(service, kind === 'unreachable' ? 'unreachable' : 'refusing', failure.at);
    const fields = { host: displayedHost(service), reason };
    if (kind === 'unreachable' && !service.isLogged) {
      service.isLogged = true;
      log.warn('push service unreachable', fields);
    }
    // Rejected credentials raise an alert instead (`rejections.ts`).
    if (kind === 'rejected' && isNew && !isSure) log.warn('push service rejects pushes', fields);
  }

  /** FCM limits projects, not sites, and far higher. */
  function recordThrottling(service: ServiceState, until: number): void {
    const isLong = until >= now() + THROTTLING_WAIT_MS && service.origin !== 'fcm';
    if (!isLong || until + PACED_AFTER_WAIT_MS <= service.throttledUntil) return;
    if (service.throttledUntil <= now())
      log.warn('push service throttles us', {
        host: displayedHost(service),
        until: new Date(until).toISOString(),
      });
    service.throttledUntil = until + PACED_AFTER_WAIT_MS;
    service.isThrottleStored = false;
  }

  function recordReply(service: ServiceState): void {
    if (service.failing?.kind === 'unreachable') service.failing = undefined;
    if (service.state === 'unreachable') changeState(service, 'reachable', now());
  }

  function recordAccept(service: ServiceState): void {
    service.failing = undefined;
    service.acceptedAt = now();
    service.unwritten ??= 'time';
    changeState(service, 'accepting', now());
  }

  function recordSignal(
    { service: id, userId, token }: PushSource,
    signal: ServiceSignal,
    trust: ServiceTrust,
  ): void {
    if (id === NO_SERVICE) return;
    let service = services.get(id);
    if (service === undefined) {
      const origin = getPushServiceName(token);
      const isTrusted =
        trust === 'proven' ||
        (trust === 'allowed' && signal.kind === 'accepted') ||
        allowlist.origins.includes(origin);
      if (!isTrusted) return;
      service = addService(id, origin);
    }
    if (signal.kind === 'accepted') recordAccept(service);
    else if (signal.kind === 'responded') recordReply(service);
    else recordFailure(service, { ...signal, userId });
  }

  async function probeAgain(service: ServiceState): Promise<void> {
    service.probeAt = elapsed() + probePause();
    const reason = await probe(service.origin);
    if (isStopped || service.state !== 'unreachable') return;
    if (reason !== undefined) return recordFailure(service, { kind: 'unreachable', reason });
    service.failing = undefined;
    service.isBack = true;
    service.successes += 1;
  }

  /**
   * Waiting pushes decide, because a host may respond to a probe and no push. Where another process
   * claims them, a second successful probe decides.
   */
  async function retryWaiting(service: ServiceState): Promise<void> {
    service.isBack = false;
    breaker.retry(service.id);
    const reasons = [...service.reasons];
    await retryNow({ id: service.id, reasons }, db, now());
    if (service.successes > 1 || !(await hasDue(service.id, db, now()))) recordReply(service);
    if (service.state !== 'unreachable') service.reasons.clear();
  }

  /** @returns whether pushes must be looked for again, at the new pace */
  async function storeThrottle(service: ServiceState): Promise<boolean> {
    if (service.isThrottleStored) return false;
    await throttleService(service.id, service.throttledUntil, db);
    service.isThrottleStored = true;
    return true;
  }

  async function storeState(service: ServiceState, isLast: boolean): Promise<void> {
    const { id, state, since, acceptedAt, rejected, unreachable, unwritten } = service;
    const isWriteDue = isLast || elapsed() - service.writtenAt >= WRITE_EVERY_MS;
    if (unwritten === undefined || (unwritten === 'time' && !isWriteDue)) return;
    service.unwritten = undefined;
    try {
      await recordPushService({ id, state, since, acceptedAt, rejected, unreachable }, db, now());
      service.writtenAt = elapsed();
    } catch (error) {
      service.unwritten ??= unwritten;
      throw error;
    }
  }

  return {
    record: recordSignal,
    async maintain(isLast = false) {
      isStopped = isLast;
      if (!isLast) await adoptUnreachable();
      const servicesBack = isLast ? [] : [...services.values()].filter(({ isBack }) => isBack);
      for (const service of servicesBack) await retryWaiting(service);
      let isPaced = false;
      for (const service of services.values()) {
        isPaced = (await storeThrottle(service)) || isPaced;
        await storeState(service, isLast);
        if (!isLast && service.state === 'unreachable' && elapsed() >= service.probeAt)
          void probeAgain(service).catch(() => undefined);
      }
      return servicesBack.length > 0 || isPaced;
    },
  };
}

const displayedHost = ({ origin, unreachable }: ServiceState): string =>
  hostOfService(origin, unreachable?.reason ?? null);
