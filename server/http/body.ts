/** Reads a request's body: small, flat JSON that fits the route's schema. */
import type { IncomingMessage } from 'node:http';
import type { HonoRequest } from 'hono';
import * as v from 'valibot';
import { HttpError, MAX_REPORTED_ISSUES } from './errors';
import type { CutSignal } from './connections/body-limits';
import { requireJsonWithin, parseJson } from './json';
import type { JsonLimits } from './json';

const KIB = 1024;
/** The limit counts bytes that arrive: `Content-Length` is only a claim. */
const MAX_BODY_BYTES = 64 * KIB;

export interface BodyReader<T> {
  maxBytes: number;
  /** These limits reject large JSON before all of it has arrived. */
  limits?: JsonLimits;
  /**
   * @param contentType lower case, without parameters.
   * @throws HttpError 400, 415
   */
  read(bytes: Uint8Array, contentType: string | undefined): T;
}

/**
 * Drops unknown fields.
 * @throws HttpError 400, 413, 415, or 429 if it was cut
 */
export async function readBody<T>(
  request: Pick<HonoRequest, 'header'>,
  incoming: IncomingMessage,
  schema: v.GenericSchema<unknown, T>,
  cutSignal: CutSignal,
  maxBytes = MAX_BODY_BYTES,
): Promise<T> {
  if (schema.type === 'optional' && isLeftOut(request)) return v.parse(schema, undefined);
  requireJson(contentType(request));
  rejectCompressed(request);
  const value = parseJson(await readBytes(incoming, cutSignal, maxBytes));
  requireFlat(value);
  return validateBody(schema, value);
}

/** @throws HttpError 415 */
export function requireJson(type: string | undefined): void {
  if (type !== JSON_TYPE)
    throw new HttpError(415, 'The body must be JSON (Content-Type: application/json).');
}

export async function readBodyWith<T>(
  request: Pick<HonoRequest, 'header'>,
  incoming: IncomingMessage,
  reader: BodyReader<T>,
  cutSignal: CutSignal,
): Promise<{ value: T; bytes: number }> {
  rejectCompressed(request);
  const count = reader.limits && requireJsonWithin(reader.limits);
  const bytes = await readBytes(incoming, cutSignal, reader.maxBytes, count);
  return { value: reader.read(bytes, contentType(request)), bytes: bytes.byteLength };
}

export const JSON_TYPE = 'application/json';

const contentType = (request: Pick<HonoRequest, 'header'>): string | undefined =>
  request.header('content-type')?.split(';')[0]?.trim().toLowerCase();

function rejectCompressed(request: Pick<HonoRequest, 'header'>): void {
  const contentEncoding = request.header('content-encoding') ?? 'identity';
  if (contentEncoding !== 'identity') throw new HttpError(415, 'The body must not be compressed.');
}

/** @throws HttpError 400 */
export function validateBody<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value, { abortPipeEarly: true });
  if (result.success) return result.output;
  throw new HttpError(
    400,
    result.issues.slice(0, MAX_REPORTED_ISSUES).map((issue) => describeIssue(issue)),
  );
}

const isLeftOut = (request: Pick<HonoRequest, 'header'>): boolean =>
  request.header('content-type') === undefined &&
  request.header('transfer-encoding') === undefined &&
  !Number(request.header('content-length'));

/** Wrapping Node's stream as a web stream costs more than the rest of a small request. */
function readBytes(
  incoming: IncomingMessage,
  cutSignal: CutSignal,
  maxBytes: number,
  count?: (part: Uint8Array) => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const finishReading = (rejection?: unknown): void => {
      incoming.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      cutSignal.onCut = undefined;
      if (rejection === undefined)
        return resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
      incoming.pause();
      reject(rejection);
    };
    const onData = (part: Uint8Array): void => {
      bytes += part.byteLength;
      parts.push(part);
      try {
        count?.(part);
      } catch (error) {
        return finishReading(error);
      }
      if (bytes > maxBytes)
        finishReading(
          new HttpError(413, `The body must not be larger than ${describeSize(maxBytes)}.`),
        );
    };
    const onEnd = (): void => finishReading();
    const onLost = (): void => finishReading(new HttpError(400, 'The body is incomplete.'));
    if (incoming.destroyed) return onLost();
    // The body has usually arrived with the head.
    const wholeBody = incoming.complete ? (incoming.read() as Uint8Array | null) : null;
    if (wholeBody !== null) {
      onData(wholeBody);
      return finishReading();
    }
    incoming.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
    cutSignal.onCut = () =>
      finishReading(new HttpError(429, 'Too many requests at once. Please try again.', 1));
  });
}

const describeSize = (bytes: number): string =>
  bytes < KIB * KIB ? `${Math.floor(bytes / KIB)} KiB` : `${Math.floor(bytes / KIB / KIB)} MiB`;

function requireFlat(value: object): void {
  // A body is flat, except for lists of plain values or flat objects, and translations. So there is
  // nothing to nest or pollute.
  for (const [path, field] of Object.entries(value)) {
    const isFlat = Array.isArray(field)
      ? field.every((item) => isPlain(item) || isFlatObject(item))
      : isPlain(field) || (path === 'translations' && isByLanguage(field));
    if (!isFlat)
      throw new HttpError(400, [
        { message: `${describePath(path)} must be a single value.`, path },
      ]);
  }
  if (Object.hasOwn(value, '__proto__'))
    throw new HttpError(400, 'The body must not have the field `__proto__`.');
}

/** The app will never have more languages. */
const MAX_TRANSLATIONS = 50;
const isByLanguage = (value: object): boolean =>
  !Object.hasOwn(value, '__proto__') &&
  Object.keys(value).length <= MAX_TRANSLATIONS &&
  Object.values(value).every(
    (member) => member !== null && typeof member === 'object' && isFlatObject(member),
  );

const isFlatObject = (value: object): boolean =>
  !Array.isArray(value) &&
  !Object.hasOwn(value, '__proto__') &&
  Object.values(value).every((field) =>
    Array.isArray(field) ? field.every(isPlain) : isPlain(field),
  );
const isPlain = (value: unknown): value is null | undefined | string | number | boolean =>
  typeof value !== 'object' || value === null;

/** `deviceToken` → `Device token`. Cut: the caller may have chosen the name. */
function describePath(path: string): string {
  const words = path.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).slice(0, 40);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describeIssue(issue: v.BaseIssue<unknown>): { message: string; path?: string } {
  // The error names the field of a list, not the index.
  const names = v
    .getDotPath(issue)
    ?.split('.')
    .filter((part) => !/^\d+$/.test(part));
  const [path, name = path] = [names?.[0], names?.at(-1)];
  if (path === undefined || name === undefined) return { message: issue.message };
  if (issue.kind === 'validation' || issue.type === 'strict_object')
    return { message: issue.message, path };
  if (issue.received === 'undefined')
    return { message: `${describePath(name)} is required.`, path };
  if (issue.received === 'Array')
    return { message: `${describePath(name)} must be a single value.`, path };
  const type = describeType(issue);
  return {
    message: type
      ? `${describePath(name)} must be ${type}.`
      : `${describePath(name)} has the wrong type.`,
    path,
  };
}

function describeType(issue: v.BaseIssue<unknown>): string | undefined {
  if (issue.type === 'picklist')
    return `one of ${(issue.expected ?? '').replace(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  const types: Record<string, string> = {
    string: 'text',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
  };
  return types[issue.type];
}
