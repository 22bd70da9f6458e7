/** Calls that are repeated and answer only what changed, by the ETag of the answer before. */
import { readJson } from './call';
import type { Example } from './fits';

/** An answer, and the tag that the server gave to it as it is. */
export interface Tagged<Value> {
  value: Value;
  tag: string | null;
}

/** Options of such a `call`, which resolves with `before` itself if nothing changed. */
export const since = <Value>(before: Tagged<Value> | undefined, like: Example<Value>) => ({
  ...(before?.tag && { headers: { 'If-None-Match': before.tag } }),
  accepts: 304,
  read: async (response: Response): Promise<Tagged<Value>> =>
    response.status === 304 && before
      ? before
      : { value: (await readJson(response)) as Value, tag: response.headers.get('ETag') },
  like: { value: like } as unknown as Example<Tagged<Value>>,
});
