/** The whole server in this process, on a real database, without a network. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { KyselyPlugin } from 'kysely';
import { suite } from 'uvu';
import type { Test } from 'uvu';
import type {
  ResponseOf,
  Body,
  Endpoint,
  ErrorBody,
  ParamNames,
  Role,
  User,
} from '../../../src/shared/contract';
import { hashPassword } from '../../../server/accounts/passwords/passwords';
import { createSession } from '../../../server/http/access/session';
import { toUser } from '../../../server/accounts/users';
import { createApp } from '../../../server/app';
import type { App } from '../../../server/http/env';
import { readConfig } from '../../../server/config/config';
import { openDatabase } from '../../../server/db/open';
import type { Engine } from '../../../server/db/open';
import { foldCase } from '../../../src/shared/case-fold';
import type { ServeStatic } from '../../../server/http/static/files';
import { createLog } from '../../../server/lib/log';
import type { Mail } from '../../../server/lib/mail';
import { alarmWatchSteps } from '../../../server/check-ins/alarm-watch';
import { allClearNoticeSteps } from '../../../server/check-ins/all-clear-notice';
import { checkInSteps } from '../../../server/check-ins/check-in-job';
import { suspensionNoticeSteps } from '../../../server/check-ins/suspended';
import { heartbeatSteps } from '../../../server/heartbeats/heartbeat-steps';
import { createMessageJobs } from '../../../server/messages/sending/message-jobs';
import { messageMail } from '../../../server/messages/message-mail';
import { createMailSender } from '../../../server/accounts/mail/mail-sender';
import { createWebhookJobs } from '../../../server/webhooks/webhook-jobs';
import type { JobRunner } from '../../../server/jobs/job-runner';
import { createWebhookCaller } from '../../../server/delivery/webhook/caller';
import { resolveForTests } from '../webhooks/fake-resolver';
import { createMetrics } from '../../../server/lib/metrics';
import { readPushServices } from '../../../server/operations/push-services';
import type { Services } from '../../../server/services';
import { loadVapidKeys } from '../../../server/delivery/web-push/vapid';
import { createUsedDatabase } from '../database/database';
import { createCommonCalls } from './common-calls';

export interface Person extends User {
  token: string;
}

const JWT_SECRET = randomBytes(32).toString('base64url');

type Params<E extends Endpoint> =
  ParamNames<E> extends never ? object : { params: Record<ParamNames<E>, string | number> };
type RequestBody<E extends Endpoint> = Body<E> extends undefined ? object : { body: Body<E> };
export type CallOptions<E extends Endpoint> = Params<E> &
  RequestBody<E> & {
    /** The person whose session is used; without it, no one is signed in. */
    as?: { token: string } | undefined;
    query?: Record<string, string | number>;
    headers?: Record<string, string>;
    /** The connection's address. */
    from?: string;
  };

export interface CallResult<E extends Endpoint> {
  status: number;
  headers: Headers;
  body: ResponseOf<E>;
  error: ErrorBody['error'];
}

export type Call = <E extends Endpoint>(
  endpoint: E,
  ...options: object extends CallOptions<E> ? [CallOptions<E>?] : [CallOptions<E>]
) => Promise<CallResult<E>>;

export interface TestServer extends ReturnType<typeof createCommonCalls> {
  app: App;
  engine: Engine;
  services: Services;
  /** The server's clock in milliseconds; a test may move it. */
  clock: { now: number };
  log: string[];
  mails: Mail[];
  /**
   * Sends waiting mails: only a test does, which may look at them or play another process before.
   */
  sendMails(): Promise<void>;
  /** Writes large and scheduled messages, only when a test calls this. */
  jobs: JobRunner;
  /** Calls webhooks, only when a test calls this. */
  webhookRunner: JobRunner;
  countPushWorkerWakes(): number;
  /** How often these jobs were woken. */
  wakeCounts: { jobs: number; webhooks: number };
  call: Call;
  /** Sends a raw request, such as one that the types forbid. */
  request(path: string, init?: RequestInit, from?: string): Promise<Response>;
  /** Active and signed in; with a password only if given, as hashing takes time. */
  createPerson(
    role: Role,
    options?: { username?: string; email?: string; isVerified?: boolean; password?: string },
  ): Promise<Person>;
  createTopic(title?: string): Promise<number>;
  close(): Promise<void>;
}

interface ServerOptions {
  environment?: Record<string, string>;
  serveStatic?: ServeStatic;
  plugin?: KyselyPlugin;
}

/** Node's part of a request: the body and the connection. */
function incomingOf({ body }: Request, remoteAddress: string): IncomingMessage {
  const stream = body ? Readable.fromWeb(body as NodeStream) : Readable.from([]);
  // Node's own request throws an error without a listener.
  stream.on('error', () => undefined);
  return Object.assign(stream, {
    socket: { remoteAddress, destroy: () => undefined },
  }) as unknown as IncomingMessage;
}

/** A suite in which each test has its own server. */
export function serverSuite(
  name: string,
  options?: ServerOptions,
): { test: Test; server: TestServer } {
  const test = suite(name);
  const server = {} as TestServer;
  test.before.each(async () => void Object.assign(server, await createServer(options)));
  test.after.each(() => server.close());
  return { test, server };
}

export async function createServer({
  environment = {},
  serveStatic,
  plugin,
}: ServerOptions = {}): Promise<TestServer> {
  const database = await createUsedDatabase();
  const { db: opened, engine, close } = openDatabase(database.config);
  const db = plugin === undefined ? opened : opened.withPlugin(plugin);
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  const mails: Mail[] = [];
  const clock = { now: Date.now() };
  let deliveryWakes = 0;
  const wakes = { jobs: 0, webhooks: 0 };
  let mailsWanted = false;
  const { dataDir, databaseUrl } = database.config;
  const settings = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'https://bell.example',
    ...environment,
  });
  const config = { ...settings, jwtSecret: settings.jwtSecret ?? JWT_SECRET };
  const mailing = createMailSender(() => services, messageMail);
  const jobs = createMessageJobs(
    () => services,
    [checkInSteps, alarmWatchSteps, allClearNoticeSteps, suspensionNoticeSteps, heartbeatSteps],
  );
  const calling = createWebhookJobs(() => services);
  const webhookCaller = createWebhookCaller({
    allowedHosts: config.webhookAllowedHosts,
    now: () => clock.now,
    resolve: resolveForTests,
  });
  const services: Services = {
    db,
    config,
    log,
    mail: async (mail) => void mails.push(mail),
    now: () => clock.now,
    wakePushWorker: () => void (deliveryWakes += 1),
    wakeJobs: () => void (wakes.jobs += 1),
    wakeMail: () => void (mailsWanted = true),
    wakeWebhooks: () => void (wakes.webhooks += 1),
    webhookCaller,
    isStopping: () => false,
    metrics: createMetrics({
      db,
      now: () => clock.now,
      readPushServices: () => readPushServices({ db, config, now: () => clock.now }),
    }),
    vapidPublicKey: (await loadVapidKeys(db)).publicKey,
  };
  const app = createApp(services, serveStatic);

  const request = async (
    path: string,
    init: RequestInit = {},
    from = '192.0.2.1',
  ): Promise<Response> => {
    const serverRequest = new Request(new URL(path, 'http://localhost'), init);
    const response = await app.request(serverRequest, undefined, {
      incoming: incomingOf(serverRequest, from),
    });
    if (response.status === 429 && !(Number(response.headers.get('Retry-After')) > 0))
      throw new Error(`${path} answered 429 without Retry-After.`);
    return response;
  };

  const call = async <E extends Endpoint>(
    endpoint: E,
    options?: CallOptions<E>,
  ): Promise<CallResult<E>> => {
    const callOptions = (options ?? {}) as {
      params?: Record<string, string | number>;
      body?: unknown;
    };
    const [method = '', pattern = ''] = endpoint.split(' ');
    const path = pattern.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(callOptions.params?.[name] ?? ''),
    );
    const query = new URLSearchParams(
      Object.entries(options?.query ?? {}).map(([name, value]) => [name, String(value)]),
    );
    const headers = new Headers(options?.headers);
    if (options?.as !== undefined) headers.set('Authorization', `Bearer ${options.as.token}`);
    if (callOptions.body !== undefined) headers.set('Content-Type', 'application/json');
    const body = callOptions.body === undefined ? null : JSON.stringify(callOptions.body);
    const response = await request(`${path}?${query}`, { method, headers, body }, options?.from);
    const parsed = (await response.json()) as ResponseOf<E> & ErrorBody;
    return {
      status: response.status,
      headers: response.headers,
      body: parsed,
      error: parsed.error,
    };
  };

  let createdCount = 0;
  const createPerson: TestServer['createPerson'] = async (
    role,
    {
      username = `${role.toLowerCase()} ${++createdCount}`,
      email,
      isVerified = false,
      password,
    } = {},
  ) => {
    const row = await db
      .insertInto('users')
      .values({
        username,
        username_key: foldCase(username),
        email: email ?? null,
        email_key: email === undefined ? null : foldCase(email),
        email_verified_at: isVerified ? clock.now : null,
        password_hash: password === undefined ? null : await hashPassword(password),
        role,
        status: 'ACTIVE',
        created_at: clock.now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...toUser(row), token: await createSession(row, services) };
  };

  const createTopic = async (title = `Topic ${++createdCount}`): Promise<number> => {
    const text = { title, description: `About ${title}` };
    const times = { created_at: clock.now, updated_at: clock.now };
    const values = {
      ...text,
      search_key: foldCase(`${text.title}\n${text.description}`),
      ...times,
    };
    const { id } = await db
      .insertInto('topics')
      .values(values)
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  };

  return {
    app,
    engine,
    services,
    clock,
    log: lines,
    mails,
    sendMails: async () => {
      if (!mailsWanted) return;
      mailsWanted = false;
      await mailing.runDue();
    },
    jobs,
    webhookRunner: calling,
    countPushWorkerWakes: () => deliveryWakes,
    wakeCounts: wakes,
    call,
    ...createCommonCalls(call),
    request,
    createPerson,
    createTopic,
    close: async () => {
      webhookCaller.close();
      await close();
      await database.drop();
    },
  };
}
