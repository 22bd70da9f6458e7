/** Shared parts of the contract: fields with examples, paging, types of calls. */
import * as v from 'valibot';

interface Note<Value> {
  description?: string;
  format?: string;
  default?: Value;
  /** The reference shows the first. */
  examples?: Value[];
}

/** Adds the reference's text to a schema. */
export const withNote = <S extends v.GenericSchema>(schema: S, note: Note<v.InferInput<S>>): S =>
  v.pipe(schema, v.metadata({ ...note })) as unknown as S;
export const withExamples = <S extends v.GenericSchema>(
  schema: S,
  ...examples: v.InferInput<S>[]
): S => withNote(schema, { examples });
export const withDescription = <S extends v.GenericSchema>(
  schema: S,
  description: string,
  ...examples: v.InferInput<S>[]
): S => withNote(schema, { description, ...(examples.length > 0 && { examples }) });

export const sampleText = (example: string) => withExamples(v.string(), example);
/** ISO 8601 in UTC with milliseconds. A plain string: the app shows rows without it too. */
export const timestampSchema = withNote(v.string(), {
  format: 'date-time',
  examples: ['2026-11-20T14:02:00.000Z'],
});
export const nullableTimestampSchema = v.nullable(timestampSchema);
export const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0));
export const idSchema = v.pipe(v.number(), v.integer(), v.minValue(1));
/** Cannot be guessed. */
export const uuidSchema = withNote(v.string(), {
  format: 'uuid',
  examples: ['0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'],
});
export const sampleUri = (example: string) =>
  withNote(v.string(), { format: 'uri', examples: [example] });

export type Timestamp = v.InferOutput<typeof timestampSchema>;

/** An id in a path. */
export const idField = (what: string, example = 1) =>
  withDescription(idSchema, `The id of the ${what}.`, example);
export const uuidField = (what: string, ...example: string[]) =>
  withDescription(uuidSchema, `The id of the ${what}.`, ...example);

export const DEFAULT_LIMIT = 10;
export const MAX_LIMIT = 100;
export const MAX_QUERY = 200;

export const pageFields = {
  total: withDescription(countSchema, 'The total number of matching rows on all pages.', 1),
  page: idSchema,
  limit: withExamples(idSchema, DEFAULT_LIMIT),
};
export const limitField = (fallback = DEFAULT_LIMIT) =>
  withNote(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_LIMIT)), {
    description: `Rows per page. Values above ${MAX_LIMIT} count as ${MAX_LIMIT}.`,
    default: fallback,
    examples: [fallback],
  });
/** @param where a sentence that names the searched fields */
export const searchField = (where: string) =>
  withDescription(
    v.pipe(v.string(), v.maxLength(MAX_QUERY)),
    `${where} If absent or empty, all rows are returned.`,
  );
/**
 * A list's query.
 * @param where a sentence that names the searched fields
 */
export const pagingFields = (where: string) => ({
  page: withNote(idSchema, { description: 'The page number, from 1.', default: 1, examples: [1] }),
  limit: limitField(),
  query: searchField(where),
});
export type PageQuery = QueryOf<ReturnType<typeof pagingFields>>;

/** The outcome, as a sentence for people. */
export const messageResponseSchema = v.object({ message: v.string() });
export const messageResponseWith = (message: string) =>
  withExamples(messageResponseSchema, { message });

/** A call with its schemas and its text in the reference. */
export interface DescribedCall {
  /** What the call does, as a sentence without a full stop: `List topics`. */
  does: string;
  /** What else callers must know. */
  more?: string;
  params?: Record<string, v.GenericSchema>;
  /** The query's parameters, all of them optional. */
  query?: Record<string, v.GenericSchema>;
  /** Headers besides the headers of `isRepeatable` and `hasTag`. */
  headers?: Record<string, v.GenericSchema>;
  body?: v.GenericSchema;
  /** Example of a text body: the call then accepts text and JSON. */
  textBody?: string;
  /** JSON by default. */
  bodyType?: 'text/csv';
  response: v.GenericSchema;
  responseType?: 'text/csv';
  /** Reasons by status, besides the reasons that all such calls share. */
  errors?: Partial<Record<number, string>>;
  /** Accepts an `Idempotency-Key`. */
  isRepeatable?: true;
  /** The response has an `ETag`. */
  hasTag?: true;
}
/** An area's calls, by method and path; `:name` marks a parameter. */
export type CallTable = Record<string, DescribedCall>;
export type QueryOf<Fields extends Record<string, v.GenericSchema>> = {
  [Name in keyof Fields]?: v.InferInput<Fields[Name]>;
};

/** The body of every response outside 2xx. */
export const errorBodySchema = v.object({
  error: v.union([
    withDescription(v.string(), 'A sentence that the app can show to people.'),
    v.array(
      v.object({
        message: v.string(),
        path: v.exactOptional(withDescription(v.string(), 'The invalid field.')),
      }),
    ),
  ]),
  code: v.exactOptional(
    withDescription(
      v.picklist(['signed_out', 'second_factor', 'second_factor_set_up', 'invalid_link']),
      '`signed_out` (401): the device of this session was signed out. `second_factor` (401): the sign-in needs a code. `second_factor_set_up` (401): the administrator must set up an authenticator app. `invalid_link` (400): the registration link is invalid or has expired.',
    ),
  ),
  challenge: v.exactOptional(
    withDescription(
      v.string(),
      'Proves that the first step of the sign-in succeeded. Send it together with the two-factor code.',
    ),
  ),
});
export type ErrorBody = v.InferOutput<typeof errorBodySchema>;
