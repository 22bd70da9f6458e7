/** Conditional GETs by ETag. */
import { readJson } from './call';
import type { ExampleSchema } from './matches-example';

export interface TaggedValue<Value> {
  value: Value;
  tag: string | null;
}

/** Options for `call`. It resolves with `previous` itself if nothing changed. */
export const ifChangedSince = <Value>(
  previous: TaggedValue<Value> | undefined,
  like: ExampleSchema<Value>,
) => ({
  ...(previous?.tag && { headers: { 'If-None-Match': previous.tag } }),
  accepts: 304,
  read: async (response: Response): Promise<TaggedValue<Value>> =>
    response.status === 304 && previous
      ? previous
      : { value: (await readJson(response)) as Value, tag: response.headers.get('ETag') },
  like: { value: like } as unknown as ExampleSchema<TaggedValue<Value>>,
});
