/** The keys of a topic, with which machines send to it. */
import { address } from '../../api/address';
import { call } from '../../api/call';
import { newKey, topicKeys } from '../../shared/contract/keys' with { type: 'example' };
import type { TopicKey } from '../../shared/contract';

export const KEYS_FAILED = 'Failed to fetch keys.';
export const MAKE_FAILED = 'Failed to make the key.';
export const REVOKE_FAILED = 'Failed to revoke the key.';

/** The newest first. @throws {ApiError} */
export const readKeys = async (topicId: number): Promise<readonly TopicKey[]> =>
  (
    await call('GET /api/admin/topics/:id/keys', {
      params: { id: topicId },
      fallback: KEYS_FAILED,
      like: topicKeys,
    })
  ).keys;

/** Answers the key itself, which is told this once. @throws {ApiError} */
export const makeKey = (topicId: number, name: string): Promise<TopicKey & { key: string }> =>
  call('POST /api/admin/topics/:id/keys', {
    params: { id: topicId },
    body: { name },
    fallback: MAKE_FAILED,
    like: newKey,
  });

/** @throws {ApiError} */
export const revokeKey = (id: number): Promise<unknown> =>
  call('DELETE /api/admin/keys/:id', { params: { id }, fallback: REVOKE_FAILED });

/** A line for a terminal that sends with the key, to where this page asks, too. */
export const curlLine = (key: string): string =>
  `curl -H "Authorization: Bearer ${key}" -H "Priority: 4" -d "Feeder 12 tripped" ${
    new URL(address('/api/publish'), location.href).href
  }`;
