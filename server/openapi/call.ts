/** What the document says of a call besides what its route does. */
import type { JsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Answer, Body, Endpoint, ParamNames, Query } from '../../src/shared/contract';
import type { ErrorStatus } from '../http/errors';

/** A part of a path, or of what comes behind it. */
export interface Parameter {
  description: string;
  schema: JsonSchema;
  /** Left out where the example asks without it. */
  example?: string | number | boolean;
}

interface Said<E extends Endpoint> {
  /** One sentence without its end: `List topics`. */
  does: string;
  /** What else is to be known. */
  more?: string;
  /** The example of a body that is text: then it takes text as well as JSON. */
  textBody?: string;
  /** The kind of a body that is no JSON. */
  bodyType?: 'text/csv';
  /** Headers that it reads besides those of the next two. */
  headers?: Record<string, Parameter>;
  /** What it answers. A schema that `shapes` names is a component of the document. */
  shape: GenericSchema<Answer<E>>;
  /** The answer to the example. */
  answer: Answer<E>;
  /** JSON if left out. */
  answerType?: 'text/csv';
  /** What is refused here besides what every such call refuses, and why. */
  refusals?: Partial<Record<ErrorStatus, string>>;
  /** It takes an `Idempotency-Key`. */
  isRepeatable?: true;
  /** Its answer has an `ETag`. */
  hasTag?: true;
}
type WithParams<E extends Endpoint> =
  ParamNames<E> extends never
    ? { params?: never }
    : { params: Record<ParamNames<E>, Parameter & Required<Pick<Parameter, 'example'>>> };
type WithQuery<E extends Endpoint> =
  Query<E> extends undefined
    ? { query?: never }
    : { query: { [Name in keyof Query<E>]-?: Parameter } };
type WithBody<E extends Endpoint> =
  Body<E> extends undefined ? { body?: never } : { body: Body<E> };

/** A call with an example, all of it typed by the contract. */
export type Described<E extends Endpoint> = Said<E> & WithParams<E> & WithQuery<E> & WithBody<E>;
/** All calls of an area. */
export type Area<Calls> = { [E in keyof Calls & Endpoint]: Described<E> };

/** A row's id in a path. */
export const idOf = (what: string, example: number) => ({
  description: `The id of the ${what}.`,
  schema: { type: 'integer', minimum: 1 } satisfies JsonSchema,
  example,
});
/** An id that nobody can guess, in a path. */
export const uuidOf = (what: string, example: string) => ({
  description: `The id of the ${what}.`,
  schema: { type: 'string', format: 'uuid' } satisfies JsonSchema,
  example,
});
/** The secret part of a link that was mailed or handed over. */
export const tokenOf = (link: string, example: string) => ({
  description: `The secret part of the ${link}.`,
  schema: { type: 'string' } satisfies JsonSchema,
  example,
});

type Whole<T, Shown> = [T] extends [Shown]
  ? keyof T extends keyof Shown
    ? unknown
    : { leavesOut: Exclude<keyof T, keyof Shown> }
  : { differsFrom: T };

/** A schema that has all that the contract's type has, and nothing else. */
export const shapeOf =
  <T>() =>
  <S extends GenericSchema<T>>(
    schema: S & Whole<T, S extends GenericSchema<unknown, infer Shown> ? Shown : never>,
  ): GenericSchema<T> =>
    schema;
