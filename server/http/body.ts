/** Reading a request's body: small, JSON, flat, and exactly what the route's schema says. */
import type { HonoRequest } from 'hono';
import * as v from 'valibot';
import { HttpError } from './errors';
import type { Cut } from './under-way';

/**
 * 64 KiB, counted on the bytes that really arrive; `Content-Length` is only what somebody claims.
 */
const MAX_BYTES = 65_536;

/**
 * @param cut ends the reading, where others need the room
 * @returns what the schema makes of the body; fields that it does not know are left out
 * @throws HttpError 400, 413, 415, or 429 if it was cut
 */
export async function readBody<T>(
  request: Pick<HonoRequest, 'header' | 'raw'>,
  schema: v.GenericSchema<unknown, T>,
  cut: Cut,
): Promise<T> {
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new HttpError(415, 'The body must be JSON (Content-Type: application/json).');
  const encoding = request.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw new HttpError(415, 'The body must not be compressed.');
  const result = v.safeParse(schema, parse(await readBytes(request.raw, cut)), {
    abortPipeEarly: true,
  });
  if (result.success) return result.output;
  throw new HttpError(
    400,
    result.issues.map((issue) => describe(issue)),
  );
}

async function readBytes({ body }: Request, cut: Cut): Promise<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return new Uint8Array();
  // The reader that waits for the next part is told that there is none.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  cut.onCut = stop;
  const parts: Uint8Array[] = [];
  try {
    for (let bytes = 0; ; ) {
      const { done, value } = await reader
        .read()
        .catch(() => Promise.reject(new HttpError(400, 'The body did not arrive.')));
      if (done) break;
      bytes += value.byteLength;
      parts.push(value);
      if (bytes <= MAX_BYTES) continue;
      stop();
      throw new HttpError(413, 'The body must not be larger than 64 KiB.');
    }
  } finally {
    cut.onCut = undefined;
  }
  if (cut.isCut) throw new HttpError(429, 'Too many requests at once. Please try again.', 1);
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

function parse(bytes: Uint8Array): object {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HttpError(400, 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HttpError(400, 'The body must be a JSON object.');
  }
  // Every body of the contract is flat, but for lists of plain values or of flat objects. Refusing
  // the rest here leaves nothing to nest, merge or pollute.
  for (const [path, field] of Object.entries(value)) {
    const isFlat = Array.isArray(field)
      ? field.every((item) => isPlain(item) || isFlatObject(item))
      : isPlain(field);
    if (!isFlat)
      throw new HttpError(400, [{ message: `${label(path)} must be a plain value.`, path }]);
  }
  if (Object.hasOwn(value, '__proto__'))
    throw new HttpError(400, 'The body holds a field that is not allowed.');
  return value;
}

const isFlatObject = (value: object): boolean =>
  !Array.isArray(value) &&
  !Object.hasOwn(value, '__proto__') &&
  Object.values(value).every(isPlain);
const isPlain = (value: unknown): value is null | undefined | string | number | boolean =>
  typeof value !== 'object' || value === null;

/** `deviceToken` → `Device token`. Cut, because the name may come from the caller. */
function label(path: string): string {
  const words = path.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).slice(0, 40);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describe(issue: v.BaseIssue<unknown>): { message: string; path?: string } {
  // Of a list the field is named, not the place in it.
  const names = v
    .getDotPath(issue)
    ?.split('.')
    .filter((part) => !/^\d+$/.test(part));
  const [path, name = path] = [names?.[0], names?.at(-1)];
  if (path === undefined || name === undefined) return { message: issue.message };
  if (issue.kind === 'validation') return { message: issue.message, path };
  if (issue.received === 'undefined') return { message: `${label(name)} is required.`, path };
  if (issue.received === 'Array') return { message: `${label(name)} must be a plain value.`, path };
  return { message: `${label(name)} must be ${describeType(issue)}.`, path };
}

function describeType(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'picklist')
    return `one of ${(issue.expected ?? '').replace(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  const types: Record<string, string> = {
    string: 'text',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
  };
  return types[issue.type] ?? 'of another type';
}
