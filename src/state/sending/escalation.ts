/** How a message that was sent goes on at those who have not answered. */
import { escalation as isEscalation } from '../../api/shapes/escalation';
import { ApiError } from '../../api/error';
import { get } from '../../api/get';
import { readJson } from '../../api/json';
import type { Escalation } from '../../shared/contract';

/** A read that has not been answered by then is asked again. */
const LIMIT_MS = 10_000;
const FAILED = 'Failed to fetch the escalation.';

/** As it was when its `tag` was given; null at a server that knows of none. */
export interface Known {
  escalation: Escalation | null;
  tag: string | null;
}

/**
 * How far it is; the same object again where that is as it was. An older server is asked once.
 * @throws {ApiError}
 */
export async function readEscalation(id: string, before?: Known): Promise<Known> {
  if (before?.escalation === null) return before;
  try {
    return await get(
      'GET /api/admin/messages/:id/escalation',
      {
        params: { id },
        headers: before?.tag ? { 'If-None-Match': before.tag } : {},
        fallback: FAILED,
        limit: LIMIT_MS,
      },
      async (response) => {
        if (response.status === 304 && before) return before;
        const answer = await readJson(response);
        if (!isEscalation(answer)) throw new ApiError('garbled', FAILED, response.status);
        return { escalation: answer as Escalation, tag: response.headers.get('ETag') };
      },
    );
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { escalation: null, tag: null };
    throw error;
  }
}
