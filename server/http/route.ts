/**
 * Turns entries of the contract into routes: path, body and answer are typed by `Endpoints`, so
 * that no route can drift.
 */
import type { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import type { GenericSchema } from 'valibot';
import type { Answer, Body, Endpoint, ParamNames } from '../../src/shared/contract';
import { transactAs } from './authority';
import type { Transact } from './authority';
import { readSession } from './session';
import type { UserRow } from '../db/schema';
import type { Services } from '../services';
import { clientAddress } from './address';
import { readBody } from './body';
import { HttpError, missing } from './errors';
import { readPaging } from './paging';
import type { Paging } from './paging';
import { limitBodies, underWayLimits } from './under-way';

export interface Env {
  Bindings: Partial<Pick<HttpBindings, 'incoming'>>;
  Variables: { requestId: string; endpoint?: string; userId?: number };
}

/** The app that routes are added to. */
export type App = Hono<Env>;

export type Access = 'anyone' | 'user' | 'admin';

/** One request, read and allowed. */
export interface Call<E extends Endpoint, A extends Access> {
  params: Record<ParamNames<E>, string>;
  body: Body<E>;
  paging: Paging;
  /** Who asks, as the database knows them now. */
  user: A extends 'anyone' ? undefined : UserRow;
  /** What every change is made in: it asks once more whether `user` may. */
  transact: A extends 'anyone' ? undefined : Transact;
  address: string;
  header(name: string): string | undefined;
}

interface Definition<E extends Endpoint, A extends Access> {
  access: A;
  status?: 200 | 201 | 202;
  answer(call: Call<E, A>): Promise<Answer<E>> | Answer<E>;
}
type WithBody<E extends Endpoint> =
  Body<E> extends undefined ? { body?: never } : { body: GenericSchema<unknown, Body<E>> };

/**
 * Adds one route of the contract. Access is checked before anything that the caller sent is looked
 * at.
 */
export type AddRoute = <E extends Endpoint, A extends Access>(
  endpoint: E,
  definition: Definition<E, A> & WithBody<E>,
) => void;

export function createAddRoute(app: App, services: Services): AddRoute {
  const withBody = limitBodies(underWayLimits);
  return (endpoint, definition) => {
    const [method = '', path = ''] = endpoint.split(' ');
    app.on(method, path, async (context) => {
      context.set('endpoint', endpoint);
      const authorization = context.req.header('authorization');
      let user = await authorize(definition.access, authorization, services);
      if (user !== undefined) context.set('userId', user.id);
      const { body: schema } = definition;
      const address = readAddress(context.env, context.req.header('x-forwarded-for'), services);
      const body =
        schema === undefined
          ? undefined
          : await withBody(address, (cut) => readBody<unknown>(context.req.raw, schema, cut));
      // A body comes as slowly as its sender likes, and authority may be gone by its end.
      if (body !== undefined) user = await authorize(definition.access, authorization, services);
      type Typed = Parameters<typeof definition.answer>[0];
      const call: Record<keyof Typed, unknown> = {
        params: context.req.param(),
        body,
        paging: readPaging(new URL(context.req.url).searchParams),
        user,
        transact: user && transactAs(user, services.db),
        address,
        header: (name: string) => context.req.header(name),
      };
      // The one place where what was checked at run time (params by Hono, body by its schema) gets
      // its static type.
      return context.json(await definition.answer(call as Typed), definition.status ?? 200);
    });
  };
}

/**
 * Who asks, if they may: anybody, somebody signed in, or an administrator. @throws HttpError 401,
 * 403
 */
export async function authorize(
  access: Access,
  authorization: string | undefined,
  services: Services,
): Promise<UserRow | undefined> {
  if (access === 'anyone') return undefined;
  const user = await readSession(authorization, services);
  if (access === 'admin' && user.role !== 'ADMIN')
    throw new HttpError(403, 'You might not have the required permissions.');
  return user;
}

function readAddress(
  bindings: Env['Bindings'] | undefined,
  forwardedFor: string | undefined,
  services: Services,
): string {
  return clientAddress(
    bindings?.incoming?.socket.remoteAddress ?? '',
    forwardedFor,
    services.config.trustedProxies,
  );
}

/** A row id from a path. What cannot be one names nothing that exists. */
export function readId(text: string, notFound: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) throw missing(notFound);
  return Number(text);
}
