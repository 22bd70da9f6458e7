/** Calls the company's provider. Bounds the time and size of its responses. */

/** Milliseconds for a request with its whole response. */
const REQUEST_TIMEOUT_MS = 8000;
const MAX_RESPONSE_BYTES = 256 * 1024;

/** The provider is not reachable, too slow, too verbose, or responds with 5xx. */
export class ProviderDownError extends Error {}

export async function fetchLimited(url: string, options: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, {
      ...options,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const { status, statusText, headers } = response;
    if (status >= 500)
      throw new ProviderDownError(`The sign-in provider responded with status ${status}.`);
    const body = await readAtMost(MAX_RESPONSE_BYTES, response.body);
    return new Response(body.length > 0 ? body : null, { status, statusText, headers });
  } catch (error) {
    if (error instanceof ProviderDownError) throw error;
    throw new ProviderDownError(describeFetchFault(error), { cause: error });
  }
}

/** Node's code, such as `ECONNREFUSED`: the message of `fetch` says nothing. */
function describeFetchFault(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  return cause?.code ?? name ?? 'The sign-in provider did not respond.';
}

async function readAtMost(
  max: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    // Leaving the loop closes the connection.
    if (length > max) throw new ProviderDownError('The sign-in provider’s response is too large.');
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
