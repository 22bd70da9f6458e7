/**
 * Metrics in Prometheus' text format, with `prom-client` for the process' own figures. Labels are
 * only statuses and our routes, because labels that callers invent would fill the memory.
 */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { PushServiceHealth } from '../../src/shared/contract';
import { MAIL_KINDS } from '../db/jobs/kinds';
import { readJobs } from '../db/jobs/jobs';
import { databaseFault } from '../db/errors';
import { countSilentHeartbeats } from '../db/heartbeats';
import { readBacklog } from '../db/outbox/queues';
import type { Database } from '../db/open';
import { LAST_BACKUP, readSetting } from '../db/settings';
import { countCalls } from '../db/webhook-calls';

const MAIL_OUTCOMES = ['sent', 'retry', 'refused', 'given-up'] as const;
const WEBHOOK_CALL_OUTCOMES = ['delivered', 'retry', 'given-up'] as const;
const SIGN_IN_FAILURES = ['wrong', 'limited'] as const;

export interface Metrics {
  /** @param route such as `GET /api/admin/topics`; undefined for files and unknown paths */
  countRequest(route: string | undefined, status: number, seconds: number): void;
  /** Counts an attempt to hand over a push. */
  countPush(transport: string, outcome: string): void;
  countMail(outcome: (typeof MAIL_OUTCOMES)[number]): void;
  countWebhookCall(outcome: (typeof WEBHOOK_CALL_OUTCOMES)[number]): void;
  countSignInFailure(reason: (typeof SIGN_IN_FAILURES)[number]): void;
  contentType: string;
  /** All metrics as text. Without a database, those that it has are left out. */
  read(health?: ReportedHealth): Promise<string>;
}

/** What `GET /api/health` says. */
export interface ReportedHealth {
  status: string;
  delivery?: string;
  mail?: string;
}

interface MetricsSettings {
  db: Database;
  now(): number;
  /** The states of push services; without it, none are reported. */
  readPushServices?: () => Promise<readonly PushServiceHealth[]>;
  /** Adds the process' own figures: event-loop delay, memory, garbage collection. */
  ofProcess?: boolean;
  version?: string;
  /** PostgreSQL's connections by state. */
  countConnections?: (() => Readonly<Record<string, number>>) | undefined;
}

export function createMetrics({
  db,
  now,
  readPushServices = async () => [],
  ofProcess = false,
  version = '',
  countConnections,
}: MetricsSettings): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (ofProcess) collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'fieldbell_http_request_duration_seconds',
    help: 'Duration of HTTP requests, by method, route and status. The route “other” stands for static files and unknown paths.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 10],
    registers,
  });
  const pushes = new Counter({
    name: 'fieldbell_pushes_total',
    help: 'Attempts to send a push, by transport and outcome.',
    labelNames: ['transport', 'outcome'],
    registers,
  });
  const mails = new Counter({
    name: 'fieldbell_mails_total',
    help: 'Attempts to send an email, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const mailsPending = new Gauge({
    name: 'fieldbell_mails_pending',
    help: 'Emails waiting to be sent, across all processes.',
    registers,
  });
  const calls = new Counter({
    name: 'fieldbell_webhook_calls_total',
    help: 'Attempts to call a webhook, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const callsPending = new Gauge({
    name: 'fieldbell_webhook_calls_pending',
    help: 'Webhook calls waiting to be made, across all processes.',
    registers,
  });
  const silentHeartbeats = new Gauge({
    name: 'fieldbell_heartbeats_silent',
    help: 'Heartbeats that are silent: the alert was sent, and the machine has not called since.',
    registers,
  });
  const pendingJobs = new Gauge({
    name: 'fieldbell_outbox_pending',
    help: 'Pushes waiting to be sent, across all processes.',
    registers,
  });
  const waitingPushes = new Gauge({
    name: 'fieldbell_outbox_oldest_due_age_seconds',
    help: 'How long the oldest push to a working push service has been overdue. 0 if none is overdue.',
    registers,
  });
  const ofService = (name: string, help: string, ...labels: string[]) =>
    new Gauge({ name, help, labelNames: ['service', ...labels], registers });
  const states = ofService(
    'fieldbell_push_service_state',
    'Always 1. The label “state” is the current state of the push service, across all processes.',
    'state',
  );
  const acceptedAt = ofService(
    'fieldbell_push_service_accepted_timestamp_seconds',
    'Unix time of the last push that the push service accepted. 0 if there is none.',
  );
  const unacceptedGauge = ofService(
    'fieldbell_push_service_pending',
    'Pushes that the push service has not accepted yet.',
  );
  const oldest = ofService(
    'fieldbell_push_service_oldest_age_seconds',
    'Age of the oldest push that the push service has not accepted yet. 0 if there is none.',
  );
  const backup = new Gauge({
    name: 'fieldbell_last_backup_timestamp_seconds',
    help: 'Unix time of the last recorded backup. 0 if there is none.',
    registers,
  });

  const signInFailures = new Counter({
    name: 'fieldbell_sign_in_failures_total',
    help: 'Rejected sign-ins, by reason. “wrong”: a wrong username, password, passkey or code. “limited”: too many attempts.',
    labelNames: ['reason'],
    registers,
  });
  const health = new Gauge({
    name: 'fieldbell_health',
    help: 'Always 1. The label “check” is a field of GET /api/health, and “state” is its value.',
    labelNames: ['check', 'state'],
    registers,
  });
  // Prometheus sees no increase in a counter that begins at 1, so these begin at 0.
  for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0);
  for (const outcome of WEBHOOK_CALL_OUTCOMES) calls.inc({ outcome }, 0);
  for (const reason of SIGN_IN_FAILURES) signInFailures.inc({ reason }, 0);
  const connections = new Gauge({
    name: 'fieldbell_database_connections',
    help: 'PostgreSQL connections of this process, by state. The state “waiting” counts the requests that wait for a connection.',
    labelNames: ['state'],
    registers,
  });
  new Gauge({
    name: 'fieldbell_build_info',
    help: 'Always 1. The labels are the versions of Fieldbell and Node.js.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1);

  const ofServices = [states, acceptedAt, unacceptedGauge, oldest];
  const ofDatabase = [
    pendingJobs,
    waitingPushes,
    mailsPending,
    callsPending,
    silentHeartbeats,
    backup,
  ];
  const readDatabase = async (): Promise<void> => {
    const backlog = await readBacklog(db);
    const services = await readPushServices();
    const mailJobs = await readJobs(MAIL_KINDS, db);
    const webhookCalls = await countCalls(db);
    const silent = await countSilentHeartbeats(db);
    const lastBackup = Number((await readSetting(LAST_BACKUP, db)) ?? 0);
    pendingJobs.set(backlog.pending);
    waitingPushes.set(Math.max(0, now() - (backlog.oldestDueAt ?? now())) / 1000);
    for (const { name: service, state, waiting: count, ...times } of services) {
      states.set({ service, state }, 1);
      acceptedAt.set({ service }, secondsAt(times.acceptedAt));
      unacceptedGauge.set({ service }, count);
      oldest.set({ service }, times.oldestAt ? now() / 1000 - secondsAt(times.oldestAt) : 0);
    }
    mailsPending.set(mailJobs.pending);
    callsPending.set(webhookCalls);
    silentHeartbeats.set(silent);
    backup.set(lastBackup / 1000);
  };

  return {
    countRequest(endpoint, status, seconds) {
      const [method = '', route = ''] = endpoint?.split(' ') ?? ['any', 'other'];
      requests.observe({ method, route, status: String(status) }, seconds);
    },
    countPush: (transport, outcome) => pushes.inc({ transport, outcome }),
    countMail: (outcome) => mails.inc({ outcome }),
    countWebhookCall: (outcome) => calls.inc({ outcome }),
    contentType: registry.contentType,
    countSignInFailure: (reason) => signInFailures.inc({ reason }),
    async read(healthChecks = { status: 'ok' }) {
      health.reset();
      for (const [check, state] of Object.entries(healthChecks)) health.set({ check, state }, 1);
      for (const [state, count] of Object.entries(countConnections?.() ?? {}))
        connections.set({ state }, count);
      for (const gauge of ofServices) gauge.reset();
      // A reset would show 0, although nothing was counted.
      for (const gauge of ofDatabase) gauge.remove();
      if (healthChecks.status !== UNREACHABLE)
        await readDatabase().catch((error: unknown) => {
          if (databaseFault(error) !== 'unavailable') throw error;
          health.remove({ check: 'status', state: healthChecks.status });
          health.set({ check: 'status', state: UNREACHABLE }, 1);
        });
      return registry.metrics();
    },
  };
}

const UNREACHABLE = 'the database is unreachable';

const secondsAt = (time: string | null): number => (time === null ? 0 : Date.parse(time) / 1000);
