import { type HeartbeatTimes, heartbeatTimesSchema } from '../../src/shared/contract/heartbeats';
import type { Transact } from '../http/access/authority';
import type { KeyCaller } from '../http/access/topic-key';
import type { BodyReader } from '../http/body';
import { requireJson, validateBody } from '../http/body';
import { HttpError } from '../http/errors';
import { parseJson } from '../http/json';
import { CustomResponse } from '../http/response';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import { wakeWorkers } from '../messages/wake-workers';
import type { Services } from '../services';
import { NO_SUCH_TOPIC, requireTopic } from '../topics/topics';
import { receiveHeartbeat } from './receive-heartbeat';
import { NO_SUCH_HEARTBEAT, deleteHeartbeat, listHeartbeats, pauseHeartbeat } from './heartbeats';

const HEARTBEAT_NAME_PATTERN = /^[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?$/;
const MAX_HEARTBEAT_BODY_BYTES = 1024;

/** `curl -X POST` sends no body, `curl -d ''` an empty form. */
const bodyReader: BodyReader<HeartbeatTimes> = {
  maxBytes: MAX_HEARTBEAT_BODY_BYTES,
  read(bytes, contentType) {
    if (bytes.byteLength === 0) return {};
    requireJson(contentType);
    const value = parseJson(bytes);
    if (typeof value === 'object' && value !== null) requireFields(Object.keys(value));
    return validateBody(heartbeatTimesSchema, value);
  },
};

interface ReportedHeartbeat {
  params: { name: string };
  query: URLSearchParams;
  key: KeyCaller;
  transact: Transact;
}

/** @throws HttpError 400 */
function readName(name: string): string {
  if (HEARTBEAT_NAME_PATTERN.test(name)) return name;
  const message =
    'Name must have 1 to 64 letters, digits, dots, hyphens or underscores, and begin and end with a letter or digit.';
  throw new HttpError(400, [{ message, path: 'name' }]);
}

const FIELDS = Object.keys(heartbeatTimesSchema.entries);

/**
 * A misspelled field would silently keep the former interval.
 * @throws HttpError 400 for a field that is unknown, or given twice
 */
function requireFields(names: readonly string[]): void {
  const allowed = FIELDS.map((name) => `\`${name}\``);
  const unknownName = names.find((name) => !FIELDS.includes(name));
  const repeatedName = names.find((name, index) => names.indexOf(name) !== index);
  const path = unknownName ?? repeatedName;
  if (path === undefined) return;
  const message =
    path === unknownName
      ? `\`${path}\` is not a field of heartbeats. Use ${allowed.join(' or ')}.`
      : `\`${path}\` was given more than once. Give ${allowed.join(' and ')} once at most.`;
  throw new HttpError(400, [{ message, path }]);
}

/** @throws HttpError 400 */
function readQuery(query: URLSearchParams): HeartbeatTimes {
  const durations = (['every', 'grace'] as const).flatMap((name) => {
    const text = query.get(name) ?? '';
    // 0 is not allowed either, so that the error says what is.
    return text === '' ? [] : [[name, /^\d+$/.test(text) ? Number(text) : 0]];
  });
  return validateBody(heartbeatTimesSchema, Object.fromEntries(durations));
}

export function addHeartbeatRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  const receiveAndWake = async (
    { params, query, key, transact }: ReportedHeartbeat,
    body: HeartbeatTimes = {},
  ) => {
    requireFields([...query.keys()]);
    const [name, times] = [readName(params.name), { ...readQuery(query), ...body }];
    const heartbeat = await transact((transaction) =>
      receiveHeartbeat(name, times, key, transaction, now()),
    );
    wakeWorkers(services);
    return heartbeat;
  };
  add('POST /api/heartbeat/:name', {
    action: 'heartbeats.report',
    reader: bodyReader,
    respond: (call) => receiveAndWake(call, call.body),
  });
  add('GET /api/heartbeat/:name', {
    action: 'heartbeats.report',
    // Programs ask with HEAD whether an address exists; that is no sign of life.
    respond: async (call) =>
      call.isHead ? new CustomResponse(405, { Allow: 'GET, POST' }, null) : receiveAndWake(call),
  });
  add('GET /api/admin/topics/:id/heartbeats', {
    action: 'heartbeats.read',
    respond: async ({ params }) => {
      const topic = await requireTopic(readId(params.id, NO_SUCH_TOPIC), db);
      return { heartbeats: await listHeartbeats(topic.id, db, now()) };
    },
  });
  add('PUT /api/admin/heartbeats/:id', {
    action: 'heartbeats.change',
    respond: async ({ params, body: { paused }, transact }) => {
      const id = readId(params.id, NO_SUCH_HEARTBEAT);
      const heartbeats = await transact((transaction) =>
        pauseHeartbeat(id, paused, transaction, now()),
      );
      services.wakeJobs();
      return heartbeats;
    },
  });
  add('DELETE /api/admin/heartbeats/:id', {
    action: 'heartbeats.change',
    respond: async ({ params, user, transact }) => {
      const id = readId(params.id, NO_SUCH_HEARTBEAT);
      await transact((transaction) => deleteHeartbeat(id, user.id, transaction, now()));
      return { message: 'The heartbeat was deleted.' };
    },
  });
}
