/** Bodies are validated by the same schemas; responses are ours, so types are enough. */
import type { GenericSchema } from 'valibot';
import type { Endpoint } from '../../src/shared/contract';
import type { KnownRoute } from '../http/route';
import * as contract from '../../src/shared/contract/calls';
import { errorBodySchema } from '../../src/shared/contract/common';
import type { DescribedCall } from '../../src/shared/contract/common';
import { commonParts } from './common-parts';
import type { Document, Method } from './document';
import { buildOperation } from './operation';
import { convertSchemas } from './schemas';

/** The build sets the package's version, and a mark of the app that was built with it. */
declare const VERSION: string;

export type Routes = ReadonlyMap<Endpoint, KnownRoute>;

export function buildDocument(routes: Routes): Document {
  const operations = contract.contractAreas.flatMap(({ name: tag, calls }) =>
    Object.entries<DescribedCall>(calls).flatMap(([endpoint, call]) => {
      const route = routes.get(endpoint as Endpoint);
      return route ? [{ endpoint, tag, call, route }] : [];
    }),
  );
  const schemas = convertSchemas(
    { ...nameSchemas(contract), Error: errorBodySchema },
    operations.flatMap(({ call }) => (call.body ? [call.response, call.body] : [call.response])),
  );
  const paths: Document['paths'] = {};
  for (const { endpoint, tag, call, route } of operations) {
    const [method = '', pattern = ''] = endpoint.split(' ');
    const path = pattern.replace(/:(\w+)/g, '{$1}');
    const operation = buildOperation(endpoint, tag, route, call, schemas);
    paths[path] = { ...paths[path], [method.toLowerCase() as Method]: operation };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Fieldbell', version: VERSION, description: INTRODUCTION },
    // Relative to the document.
    servers: [{ url: '/' }],
    tags: contract.contractAreas.map(({ name, description }) => ({ name, description })),
    paths,
    components: { schemas: schemas.components, ...commonParts },
  };
}

/** Object schemas by the names of their exports: `topicPageSchema` is `TopicPage`. */
const nameSchemas = (schemas: object): Record<string, GenericSchema> =>
  Object.fromEntries(
    Object.entries(schemas)
      .filter(([, schema]) => schema.type === 'object')
      .map(([name, schema]) => [
        name.charAt(0).toUpperCase() + name.slice(1).replace(/Schema$/, ''),
        schema,
      ]),
  );

const INTRODUCTION = [
  'Fieldbell sends messages to people who work in the field.',
  'Requests and responses are JSON in UTF-8 unless stated otherwise. The body of a request can have up to 64 KiB unless stated otherwise. Times are ISO 8601 in UTC. The server ignores unknown fields. Clients must also ignore unknown fields, because later versions may add some.',
  'Get a login token from `POST /api/auth/login` and send it as `Authorization: Bearer TOKEN`.',
  'Every response with a 4xx or 5xx status has an `Error` body. Base your logic on the status code, because the text in `error` is for people and may change.',
  'Most lists are paged: `page` starts at 1, and `limit` is at most 100. If `page` or `limit` is invalid, the server uses the nearest valid number or the default.',
  'Calls that list the header `Idempotency-Key` can be retried safely: a request that is sent again with the same value within seven days takes effect only once.',
  'If a response has an `ETag`, send it as `If-None-Match` with the next request. While nothing has changed, the server returns 304.',
].join('\n\n');
