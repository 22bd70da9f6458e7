/** Reads a published message: text, our JSON, or ntfy's. */
import * as v from 'valibot';
import type { Priority, Publication } from '../../src/shared/contract';
import { JSON_TYPE, validateBody } from '../http/body';
import type { BodyReader } from '../http/body';
import { HttpError } from '../http/errors';
import { decodeText, parseJson } from '../http/json';
import {
  INVALID_PRIORITY,
  PUBLISH_PRIORITIES,
  publicationSchema,
} from '../../src/shared/contract/publishing';

const MAX_PUBLICATION_BYTES = 64 * 1024;

export const NTFY_PRIORITIES: Record<NonNullable<Publication['priority']>, Priority> = {
  info: 'info',
  normal: 'normal',
  urgent: 'urgent',
  1: 'info',
  min: 'info',
  2: 'info',
  low: 'info',
  3: 'normal',
  default: 'normal',
  4: 'urgent',
  high: 'urgent',
  5: 'urgent',
  max: 'urgent',
};

/** A field that may be left out. Null counts as left out. */
const optionalField = <Schema extends v.GenericSchema>(schema: Schema) => v.nullish(schema);
/** ntfy's JSON: no maximum lengths, and only the topic is required. */
const ntfyPublication = v.object({
  topic: v.string(),
  message: optionalField(v.string()),
  title: optionalField(v.string()),
  priority: optionalField(
    v.pipe(
      v.union([v.string(), v.number()], INVALID_PRIORITY),
      v.transform((priority) => String(priority).toLowerCase()),
      v.picklist(PUBLISH_PRIORITIES, INVALID_PRIORITY),
    ),
  ),
  click: optionalField(v.string()),
  delay: optionalField(v.union([v.string(), v.number()], 'Delay must be text or a number.')),
});

/** JSON with a topic is ntfy's. */
function readJson(value: object): Publication {
  if (!Object.hasOwn(value, 'topic')) return validateBody(publicationSchema, value);
  const givenEntries = Object.entries(validateBody(ntfyPublication, value));
  return { message: '', ...Object.fromEntries(givenEntries.filter(([, field]) => field != null)) };
}

/** `curl -d` sends a form's type. */
const isText = (type = 'text/plain'): boolean =>
  type.startsWith('text/') || type === 'application/x-www-form-urlencoded';

function readBody(bytes: Uint8Array, type: string | undefined): string | Publication {
  if (type === JSON_TYPE) return readJson(parseJson(bytes));
  if (!isText(type))
    throw new HttpError(415, 'The body must be text, or JSON (Content-Type: application/json).');
  try {
    return decodeText(bytes);
  } catch {
    throw new HttpError(400, 'The body is not valid UTF-8.');
  }
}

/** Reads a body of `/api/publish/NAME`. */
export const publicationReader: BodyReader<string | Publication> = {
  maxBytes: MAX_PUBLICATION_BYTES,
  read: readBody,
};

/** Reads a body of `/api/publish`, where ntfy's scripts send JSON with a topic under any type. */
export const topicInBodyReader: BodyReader<string | Publication> = {
  ...publicationReader,
  read: (bytes, type) => {
    const body = readBody(bytes, type);
    const value = typeof body === 'string' ? readObject(bytes) : undefined;
    return value !== undefined && Object.hasOwn(value, 'topic') ? readJson(value) : body;
  },
};

/** Returns undefined if the body is not a JSON object. */
function readObject(bytes: Uint8Array): object | undefined {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}
