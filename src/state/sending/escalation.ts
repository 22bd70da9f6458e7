/** How a message that was sent goes on at those who have not answered. */
import { call } from '../../api/call';
import type { ApiError } from '../../api/error';
import { escalation as anEscalation } from '../../shared/contract/escalation' with {
  type: 'example',
};
import { since, type Tagged } from '../../api/tagged';
import type { Escalation } from '../../shared/contract';

/** As the server told it; null at a server that knows of none. */
export type KnownEscalation = Tagged<Escalation | null>;

/**
 * How far it is; the same object again where that is as it was. A server that knows of none is asked
 * once.
 * @throws {ApiError}
 */
export async function readEscalation(
  id: string,
  before?: KnownEscalation,
): Promise<KnownEscalation> {
  if (before?.value === null) return before;
  return call('GET /api/admin/messages/:id/escalation', {
    params: { id },
    fallback: 'Failed to fetch the escalation.',
    ...since(before, anEscalation),
  }).catch((error: ApiError) => {
    if (error.status === 404) return { value: null, tag: null };
    throw error;
  });
}
