import type { KnownRoute } from '../http/route';
import { permissions } from '../permissions';
import type { CallerKind } from '../permissions';
import type { DescribedCall } from '../../src/shared/contract/common';
import type { Content, DocumentedParameter, Operation, Reference, Response } from './document';
import { createExample } from './example';
import { toParameter } from './schemas';
import type { Schemas } from './schemas';

/** A caller needs one of the listed schemes. The needed right is named beside the scheme. */
const security: Record<CallerKind, Operation['security']> = {
  anyone: [],
  user: [{ login: [] }],
  sender: [{ login: ['SENDER'] }],
  'admin-or-sender': [{ login: ['ADMIN'] }, { login: ['SENDER'] }],
  'admin-or-auditor': [{ login: ['ADMIN'] }, { login: ['AUDITOR'] }],
  admin: [{ login: ['ADMIN'] }],
  device: [{ deviceKey: [] }],
  'user-or-device': [{ login: [] }, { deviceKey: [] }],
  key: [{ topicKey: [] }, { topicKeyAsPassword: [] }],
};

/** These callers need a right: being signed in is not enough. */
const NEEDS_RIGHT: readonly CallerKind[] = [
  'sender',
  'admin-or-sender',
  'admin-or-auditor',
  'admin',
];

export function buildOperation(
  endpoint: string,
  tag: string,
  route: KnownRoute,
  call: DescribedCall,
  schemas: Schemas,
): Operation {
  const parameters = [
    ...listParameters('path', call.params),
    ...listParameters('query', call.query),
    ...listParameters('header', call.headers),
    ...(call.isRepeatable ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(call.hasTag ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ];
  return {
    operationId: toOperationId(endpoint),
    tags: [tag],
    summary: call.does,
    ...(call.more && { description: call.more }),
    security: security[permissions[route.action]],
    'x-permission': route.action,
    ...(parameters.length > 0 && { parameters }),
    ...(call.body && {
      requestBody: {
        required: call.body.type !== 'optional',
        content: {
          ...(call.textBody && content('text/plain', { type: 'string' }, call.textBody)),
          ...content(
            call.bodyType ?? 'application/json',
            schemas.of(call.body),
            createExample(call.body),
          ),
        },
      },
    }),
    responses: {
      [route.status]: {
        description: DONE[route.status] ?? 'Done.',
        ...(call.hasTag && { headers: { ETag: { $ref: '#/components/headers/ETag' } } }),
        content: content(
          call.responseType ?? 'application/json',
          schemas.of(call.response),
          createExample(call.response),
        ),
      } satisfies Response,
      ...(call.hasTag && { 304: { $ref: '#/components/responses/NotModified' } }),
      ...rejections(endpoint, route, call),
    },
  };
}

const DONE: Record<number, string> = {
  201: 'Created.',
  202: 'Accepted. Work continues in the background.',
};

const content = (type: string, schema: Content[string]['schema'], example: unknown): Content => ({
  [type]: { schema, ...(example !== undefined && { example }) },
});

const listParameters = (
  place: DocumentedParameter['in'],
  schemas: DescribedCall['params'] = {},
): DocumentedParameter[] =>
  Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: place,
    ...(place === 'path' && { required: true as const }),
    ...toParameter(schema),
  }));

export const REJECTIONS: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
};

function rejections(
  endpoint: string,
  { action }: KnownRoute,
  call: DescribedCall,
): Record<string, Reference> {
  const callerKind = permissions[action];
  const isChange = !endpoint.startsWith('GET ');
  const statuses = [
    ...(call.body || call.isRepeatable ? [400] : []),
    ...(callerKind === 'anyone' ? [] : [401]),
    ...(NEEDS_RIGHT.includes(callerKind) ? [403] : []),
    ...(call.params && !('token' in call.params) ? [404] : []),
    ...(call.isRepeatable ? [409] : []),
    ...(call.body ? [413, 415] : []),
    // Reads of a signed-in person are limited, too (`READS_PER_SECOND`).
    ...(isChange || callerKind !== 'anyone' ? [429] : []),
    ...Object.keys(call.errors ?? {}).map(Number),
    500,
    503,
  ];
  return Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => {
      const description = call.errors?.[status];
      const $ref = `#/components/responses/${REJECTIONS[status]}`;
      return [status, { $ref, ...(description && { description }) }];
    }),
  );
}

/** `GET /api/admin/topics/:id/subscribers` → `getAdminTopicsByIdSubscribers`. */
function toOperationId(endpoint: string): string {
  const [method = '', path = ''] = endpoint.split(' ');
  const words = path
    .replace(/^\/api/, '')
    .replace(/:(\w)/g, (_, letter: string) => `by-${letter}`)
    .split(/[^A-Za-z]+/)
    .filter(Boolean);
  return [
    method.toLowerCase(),
    ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
  ].join('');
}
