/** The one call whose body is no JSON: a file of people. For the screen that imports them alone. */
import type { ErrorBody, Imported } from '../shared/contract';
import { address } from './address';
import { session } from './call';
import { ApiError } from './error';
import { imported } from './shapes/import';
import { readJson } from './json';

/** The server takes up to twenty seconds for ten thousand people, and they have a long way there. */
const LIMIT_MS = 60_000;

/**
 * Resolves with what came of it, errors of lines included.
 * @throws {ApiError} always, and nothing else
 */
export async function postCsv(
  text: string,
  query: { dryRun?: boolean; topicId?: string },
  fallback: string,
): Promise<Imported> {
  const token = session.token();
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(address('/api/admin/import', {}, query), {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' },
      body: text,
      signal: AbortSignal.timeout(LIMIT_MS),
      cache: 'no-store',
    });
    answer = await readJson(response);
  } catch {
    throw new ApiError('unreachable', fallback);
  }
  if (session.token() !== token) throw new ApiError('stale', '');
  const { status } = response;
  if ((response.ok || status === 400) && imported(answer)) return answer as Imported;
  if (response.ok) throw new ApiError('garbled', fallback, status);
  const { error, code } = (answer ?? {}) as Partial<ErrorBody>;
  if (status === 401 && token) session.rejected(token, code);
  const after = Number(response.headers.get('Retry-After')) || undefined;
  throw new ApiError(
    'refused',
    typeof error === 'string' && error ? error : fallback,
    status,
    after,
  );
}
