/** Reading a request's body: small, JSON, flat, and exactly what the route's schema says. */
import * as v from 'valibot';
import { HttpError } from './errors';

/** 64 KiB, counted on the bytes that really arrive; `Content-Length` is only what somebody claims. */
const MOST_BYTES = 65_536;

/**
 * @returns what the schema makes of the body; fields that it does not know are left out
 * @throws HttpError 400, 413 or 415
 */
export async function readBody<T>(request: Request, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new HttpError(415, 'The body must be JSON (Content-Type: application/json).');
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw new HttpError(415, 'The body must not be compressed.');
  const result = v.safeParse(schema, parse(await readBytes(request)), { abortPipeEarly: true });
  if (result.success) return result.output;
  throw new HttpError(400, result.issues.map((issue) => describe(issue)));
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MOST_BYTES) throw new HttpError(413, 'The body must not be larger than 64 KiB.');
    parts.push(part);
  }
  return Buffer.concat(parts);
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
  // Every body of the contract is flat. Refusing the rest here leaves nothing to nest, merge or pollute.
  for (const [path, field] of Object.entries(value)) {
    if (typeof field === 'object' && field !== null) throw new HttpError(400, [{ message: `${label(path)} must be a plain value.`, path }]);
  }
  if (Object.hasOwn(value, '__proto__')) throw new HttpError(400, 'The body holds a field that is not allowed.');
  return value;
}

/** `deviceToken` → `Device token`. Cut, because the name may come from the caller. */
function label(path: string): string {
  const words = path.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).slice(0, 40);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describe(issue: v.BaseIssue<unknown>): { message: string; path?: string } {
  const path = v.getDotPath(issue);
  if (path === null) return { message: issue.message };
  if (issue.kind === 'validation') return { message: issue.message, path };
  if (issue.received === 'undefined') return { message: `${label(path)} is required.`, path };
  return { message: `${label(path)} must be ${describeType(issue)}.`, path };
}

function describeType(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'picklist') return `one of ${(issue.expected ?? '').replace(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  const types: Record<string, string> = { string: 'text', number: 'a number', boolean: 'true or false' };
  return types[issue.type] ?? 'of another type';
}
