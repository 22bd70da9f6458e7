// The HTTP contract of app, worker and server. Each area has a file in `contract/` with schemas and
// calls; the types here follow from them and add no bytes.
import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { Calls } from './contract/calls';
import type { DescribedCall, QueryOf } from './contract/common';

export type * from './contract/accounts';
export type * from './contract/audit';
export type * from './contract/check-ins';
export type { ErrorBody, PageQuery, Timestamp } from './contract/common';
export type * from './contract/devices';
export type * from './contract/escalation';
export type * from './contract/heartbeats';
export type * from './contract/import';
export type * from './contract/inbox';
export type * from './contract/insights';
export type * from './contract/keys';
export type { NewTranslations } from './contract/message-fields';
export type * from './contract/messages';
export type * from './contract/overview';
export type * from './contract/own-account';
export type * from './contract/passkeys';
export type * from './contract/publishing';
export type * from './contract/quiet-hours';
export type * from './contract/reach';
export type * from './contract/two-factor';
export type * from './contract/senders';
export type * from './contract/sign-in';
export type * from './contract/subscriptions';
export type * from './contract/teams';
export type * from './contract/device-tests';
export type * from './contract/topics';
export type * from './contract/webhooks';

/** `received` is the body after its schema's transformations. */
type Declared<Call extends DescribedCall> = {
  response: InferOutput<Call['response']>;
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
export type Endpoints = { [E in keyof Calls]: Declared<Calls[E]> };

export type Endpoint = keyof Endpoints;
/** The type of a body that a client sends. */
export type Body<E extends Endpoint> = Endpoints[E] extends { body: infer B } ? B : undefined;
/** The type of a body that a route receives. */
export type Received<E extends Endpoint> = Endpoints[E] extends { received: infer B } ? B : Body<E>;
export type Query<E extends Endpoint> = Endpoints[E] extends { query: infer Q } ? Q : undefined;
export type ResponseOf<E extends Endpoint> = Endpoints[E]['response'];

/** The parameter names of a path: `'/a/:id/b/:name'` → `'id' | 'name'`. */
export type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
