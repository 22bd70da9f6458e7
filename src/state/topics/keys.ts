/** A topic's keys, with which machines send to it. */
import { apiUrl } from '../../api/url';
import { call } from '../../api/call';
import { newKeySchema, topicKeysSchema } from '../../shared/contract/keys' with { type: 'example' };
import type { TopicKey } from '../../shared/contract';

export const KEYS_FAILED = 'Failed to load keys.';
export const KEY_CREATE_FAILED = 'Failed to create the key.';
export const KEY_REVOKE_FAILED = 'Failed to revoke the key.';

/**
 * Reads the keys of a topic, newest first.
 * @throws {ApiError}
 */
export const readTopicKeys = async (topicId: number): Promise<readonly TopicKey[]> =>
  (
    await call('GET /api/admin/topics/:id/keys', {
      params: { id: topicId },
      fallback: KEYS_FAILED,
      like: topicKeysSchema,
    })
  ).keys;

/**
 * Resolves with the key, which the server shows only once.
 * @throws {ApiError}
 */
export const createTopicKey = (
  topicId: number,
  name: string,
): Promise<TopicKey & { key: string }> =>
  call('POST /api/admin/topics/:id/keys', {
    params: { id: topicId },
    body: { name },
    fallback: KEY_CREATE_FAILED,
    like: newKeySchema,
  });

/** @throws {ApiError} */
export const revokeTopicKey = (id: number): Promise<unknown> =>
  call('DELETE /api/admin/keys/:id', { params: { id }, fallback: KEY_REVOKE_FAILED });

/** A shell command that sends with the key. */
export const createCurlLine = (key: string): string =>
  `curl -H "Authorization: Bearer ${key}" -H "Priority: 4" -d "Feeder 12 tripped" ${
    new URL(apiUrl('/api/publish'), location.href).href
  }`;
