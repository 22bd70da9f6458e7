/**
 * What the app, the worker and the server agree on: the shapes and calls of the HTTP contract.
 * Types only, so it costs no byte anywhere. Paths, bodies and answers are written here once; the
 * app's client and the server's routes are both typed by `Endpoints`. Each area is a file in
 * `contract/`, with its shapes and its calls.
 */
import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { calls } from './contract/calls';
import type { DescribedCall, QueryOf } from './contract/common';
import type { OwnAccountCalls } from './contract/own-account';

export type * from './contract/accounts';
export type * from './contract/audit';
export type { PageQuery, Timestamp } from './contract/common';
export type * from './contract/devices';
export type * from './contract/escalation';
export type * from './contract/import';
export type * from './contract/inbox';
export type * from './contract/keys';
export type * from './contract/messages';
export type * from './contract/overview';
export type * from './contract/own-account';
export type * from './contract/publishing';
export type * from './contract/quiet-hours';
export type * from './contract/reach';
export type * from './contract/second-factor';
export type * from './contract/sign-in';
export type * from './contract/subscriptions';
export type * from './contract/tests';
export type * from './contract/topics';
export type * from './contract/webhooks';

/** The body of every answer that is not 2xx. */
export interface ErrorBody {
  error: string | { message: string; path?: string }[];
  /**
   * Of a 401 alone. `signed_out`: the device of this session was signed out, and forgets the
   * person. The others ask for the second step of a sign-in.
   */
  code?: 'signed_out' | 'second_factor' | 'second_factor_set_up';
  /** What the second step is asked with. */
  challenge?: string;
}

/**
 * Every call: its method and path (`:name` marks a parameter), what it takes and what it answers. A
 * call without `body` sends none; one without `query` takes none. Completing a registration, adding
 * a user or a topic, sending a message and publishing one take an `Idempotency-Key` header: with the same key
 * nothing is done again, and the answer is alike.
 */
interface Older extends OwnAccountCalls {}

/** What a call's schemas say. `received` is the body as its schema hands it on. */
type Declared<Call extends DescribedCall> = {
  answer: InferOutput<Call['answer']>;
} & (Call extends {
  body: infer Schema extends GenericSchema;
}
  ? {
      body:
        | Exclude<InferInput<Schema>, undefined>
        | (Call extends { textBody: string } ? string : never);
      received: InferOutput<Schema> | (Call extends { textBody: string } ? string : never);
    }
  : unknown) &
  (Call extends { query: infer Fields extends Record<string, GenericSchema> }
    ? { query: QueryOf<Fields> }
    : unknown);
export type Endpoints = Older & { [E in keyof typeof calls]: Declared<(typeof calls)[E]> };

export type Endpoint = keyof Endpoints;
/** A body as it is sent. */
export type Body<E extends Endpoint> = Endpoints[E] extends { body: infer B } ? B : undefined;
/** A body as a route gets it. */
export type Received<E extends Endpoint> = Endpoints[E] extends { received: infer B } ? B : Body<E>;
export type Query<E extends Endpoint> = Endpoints[E] extends { query: infer Q } ? Q : undefined;
export type Answer<E extends Endpoint> = Endpoints[E]['answer'];

/** The names after `:` in a path: `'/a/:id/b/:name'` → `'id' | 'name'`. */
export type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
