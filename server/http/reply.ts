/** What a route answers where there is more to say than a body of JSON. */
export class Reply {
  constructor(
    readonly status: 200 | 304 | 400 | 503,
    readonly headers: Record<string, string>,
    readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  ) {}
}
