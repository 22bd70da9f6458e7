/** The escalation of a sent message. */
import { call } from '../../api/call';
import type { ApiError } from '../../api/error';
import { escalationSchema as escalationExample } from '../../shared/contract/escalation' with {
  type: 'example',
};
import { ifChangedSince, type TaggedValue } from '../../api/conditional-get';
import type { Escalation } from '../../shared/contract';

/** The value is null if the server does not support escalation. */
export type KnownEscalation = TaggedValue<Escalation | null>;

/**
 * Resolves with `before` itself if nothing changed; asks only once without support.
 * @throws {ApiError}
 */
export async function readEscalation(
  id: string,
  before?: KnownEscalation,
): Promise<KnownEscalation> {
  if (before?.value === null) return before;
  return call('GET /api/admin/messages/:id/escalation', {
    params: { id },
    fallback: 'Failed to load the escalation.',
    ...ifChangedSince(before, escalationExample),
  }).catch((error: ApiError) => {
    if (error.status === 404) return { value: null, tag: null };
    throw error;
  });
}
