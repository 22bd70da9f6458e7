import type { Document, Response } from './document';
import { REFUSALS } from './operation';
import { referenceTo } from './schemas';

const error = { $ref: referenceTo('Error') };
const retry = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

const meanings: Record<number, { description: string; example: object; isForNow?: true }> = {
  400: {
    description: 'What was sent cannot be taken. The sentence says why, and names the field.',
    example: { error: [{ message: 'Title is required.', path: 'title' }] },
  },
  401: {
    description: 'There is no valid token or key.',
    example: { error: 'Your session has ended. Please sign in again.' },
  },
  403: {
    description: 'Only administrators may do this.',
    example: { error: 'You might not have the required permissions.' },
  },
  404: {
    description: 'There is no such thing, or it is not the caller’s.',
    example: { error: 'This message does not exist.' },
  },
  409: {
    description: 'It conflicts with what there is.',
    example: { error: 'This Idempotency-Key was already used for another message.' },
  },
  413: {
    description: 'The body is too large.',
    example: { error: 'The body must not be larger than 64 KiB.' },
  },
  415: {
    description: 'The body is of another type than asked for, or compressed.',
    example: { error: 'The body must be JSON (Content-Type: application/json).' },
  },
  429: {
    description: 'Too many requests.',
    example: { error: 'Too many requests at once. Please try again.' },
    isForNow: true,
  },
  500: {
    description: 'A fault of ours. The number finds it in the log.',
    example: {
      error:
        'Something went wrong on our side. If it happens again, please report it with this number: 6f1b',
    },
  },
  503: {
    description: 'The database cannot answer.',
    example: {
      error: 'The service is not available at the moment. Please try again soon.',
    },
    isForNow: true,
  },
};

const refusals = Object.fromEntries(
  Object.entries(meanings).map(([status, { description, example, isForNow }]) => [
    REFUSALS[Number(status)] ?? status,
    {
      description,
      ...(isForNow && { headers: retry }),
      content: { 'application/json': { schema: error, example } },
    } satisfies Response,
  ]),
);

export const commonParts: Omit<Document['components'], 'schemas'> = {
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Made once for each wish. Sent again with the same key and the same body, nothing is done again, and the answer is alike.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
      example: '7b9f6f0e-52b5-4a2e-8d0c-8a0d3c1e9f11',
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of an earlier answer: 304 if it still holds.',
      schema: { type: 'string' },
    },
  },
  headers: {
    ETag: { description: 'Names this answer.', schema: { type: 'string' } },
    RetryAfter: {
      description: 'Seconds until it is worth while to try again.',
      schema: { type: 'integer', minimum: 1 },
    },
  },
  responses: {
    ...refusals,
    NotModified: { description: 'The answer that the caller has still holds.' },
  },
  securitySchemes: {
    login: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The token of a sign-in. Where ADMIN is named, only an administrator’s.',
    },
    deviceKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'The key that a device got when it registered: its worker speaks with it.',
    },
    topicKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'The key of a topic (`fbk_…`): a machine sends with it, and can do nothing else.',
    },
    topicKeyAsPassword: {
      type: 'http',
      scheme: 'basic',
      description: 'The key of a topic as the password, for scripts that know no other way.',
    },
  },
};
