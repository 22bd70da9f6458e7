import type { Document, Response } from './document';
import { REJECTIONS } from './operation';
import { referenceTo } from './schemas';

const error = { $ref: referenceTo('Error') };
const retry = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

const errorMeanings: Record<number, { description: string; example: object; isForNow?: true }> = {
  400: {
    description:
      'The request is not valid. `error` explains why. `path` names the invalid field, if any.',
    example: { error: [{ message: 'Title is required.', path: 'title' }] },
  },
  401: {
    description: 'The token or key is missing or not valid.',
    example: { error: 'Your session has expired. Please sign in again.' },
  },
  403: {
    description: 'The caller does not have permission to do this.',
    example: { error: 'You might not have the required permissions.' },
  },
  404: {
    description: 'The resource does not exist, or it belongs to someone else.',
    example: { error: 'This message does not exist.' },
  },
  409: {
    description: 'The request conflicts with existing data.',
    example: { error: 'This Idempotency-Key was already used for another message.' },
  },
  413: {
    description: 'The body is too large.',
    example: { error: 'The body must not be larger than 64 KiB.' },
  },
  415: {
    description: 'The body has the wrong type, or is compressed.',
    example: { error: 'The body must be JSON (Content-Type: application/json).' },
  },
  429: {
    description: 'Too many requests. `Retry-After` contains the number of seconds to wait.',
    example: { error: 'Too many requests at once. Please try again.' },
    isForNow: true,
  },
  500: {
    description:
      'An internal error. To find the cause, search the server’s log for the ID in `error`.',
    example: {
      error:
        'Something went wrong. If it happens again, please tell your administrator this ID: 6f1b',
    },
  },
  503: {
    description: 'The database is unavailable.',
    example: {
      error: 'The service is not available at the moment. Please try again soon.',
    },
    isForNow: true,
  },
};

const rejections = Object.fromEntries(
  Object.entries(errorMeanings).map(([status, { description, example, isForNow }]) => [
    REJECTIONS[Number(status)] ?? status,
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
        'A unique value for each new request. If you repeat a request with the same value and body within seven days, the server returns the first response again and does nothing else.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
      example: '7b9f6f0e-52b5-4a2e-8d0c-8a0d3c1e9f11',
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      description:
        'The `ETag` of an earlier response. The server returns 304 if nothing has changed since that response.',
      schema: { type: 'string' },
    },
  },
  headers: {
    ETag: { description: 'Identifies this version of the response.', schema: { type: 'string' } },
    RetryAfter: {
      description: 'Seconds to wait before trying again.',
      schema: { type: 'integer', minimum: 1 },
    },
  },
  responses: {
    ...rejections,
    NotModified: { description: 'Nothing has changed since the response with this `ETag`.' },
  },
  securitySchemes: {
    login: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'The token that a sign-in returns. In `security`, `ADMIN` means the token of an administrator, `AUDITOR` the token of an auditor, and `SENDER` the token of a person who may send to a topic.',
    },
    deviceKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'The key that the server returns when a device registers. The app’s service worker on the device sends it.',
    },
    topicKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A topic key (`fbk_…`). It can only send messages to its topic and report heartbeats.',
    },
    topicKeyAsPassword: {
      type: 'http',
      scheme: 'basic',
      description:
        'For scripts that only support Basic authentication: the topic key is the password, and the username is ignored.',
    },
  },
};
