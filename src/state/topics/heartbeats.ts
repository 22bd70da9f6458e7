/** The heartbeats of a topic: machines that call on schedule. */
import { call } from '../../api/call';
import { apiUrl } from '../../api/url';
import type { Heartbeat, Topic } from '../../shared/contract';
import { heartbeatSchema, heartbeatsSchema } from '../../shared/contract/heartbeats' with {
  type: 'example',
};
import { readTopic } from './topics';

export const HEARTBEATS_FAILED = 'Failed to load heartbeats.';
export const HEARTBEAT_CHANGE_FAILED = 'Failed to change the heartbeat.';
export const HEARTBEAT_DELETE_FAILED = 'Failed to delete the heartbeat.';

export interface TopicHeartbeats {
  topic: Topic;
  heartbeats: readonly Heartbeat[];
}

const STATES_BY_URGENCY = [
  'silent',
  'late',
  'waiting',
  'alive',
  'paused',
] satisfies Heartbeat['state'][];

/** @throws {ApiError} */
export const readHeartbeatsOfTopic = async (id: number | string): Promise<readonly Heartbeat[]> =>
  (
    await call('GET /api/admin/topics/:id/heartbeats', {
      params: { id },
      fallback: HEARTBEATS_FAILED,
      like: heartbeatsSchema,
    })
  ).heartbeats;

/**
 * Silent ones first.
 * @throws {ApiError}
 */
export async function readHeartbeats(topicId: string): Promise<TopicHeartbeats> {
  const [topic, allHeartbeats] = await Promise.all([
    readTopic(topicId),
    readHeartbeatsOfTopic(topicId),
  ]);
  const getUrgency = ({ state }: Heartbeat) => STATES_BY_URGENCY.indexOf(state);
  return {
    topic,
    heartbeats: [...allHeartbeats].sort((one, other) => getUrgency(one) - getUrgency(other)),
  };
}

/** @throws {ApiError} */
export const pauseHeartbeat = (id: number, isPaused: boolean): Promise<Heartbeat> =>
  call('PUT /api/admin/heartbeats/:id', {
    params: { id },
    body: { paused: isPaused },
    fallback: HEARTBEAT_CHANGE_FAILED,
    like: heartbeatSchema,
  });

/** @throws {ApiError} */
export const deleteHeartbeat = (id: number): Promise<unknown> =>
  call('DELETE /api/admin/heartbeats/:id', { params: { id }, fallback: HEARTBEAT_DELETE_FAILED });

/** A shell command that reports a heartbeat, in a limited time. */
export const createHeartbeatLine = (): string =>
  `curl -fsS -m 30 --retry 8 --retry-connrefused --retry-max-time 120 "${
    new URL(apiUrl('/api/heartbeat/nightly-backup?every=86400'), location.href).href
  }" -H "Authorization: Bearer $KEY"`;
