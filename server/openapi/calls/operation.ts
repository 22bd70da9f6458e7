/** What anybody may ask of the server itself. */
import * as v from 'valibot';
import type { Endpoints } from '../../../src/shared/contract';
import type { Described } from '../call';
import { maybeTime, text } from '../shapes/common';

interface OperationCalls {
  'GET /api/health': Described<'GET /api/health'>;
  'GET /api/openapi.json': Described<'GET /api/openapi.json'>;
}

export const operationCalls = {
  'GET /api/health': {
    does: 'Tell whether the server is well',
    more: 'While the database cannot be reached, takes no changes, or the server stops it is 503, and `status` says so. `delivery` is `refused` where a push service refuses our pushes, `late` where one cannot be reached or pushes should have been accepted minutes ago; `pushServices` is the one that is worst off. `mail` is `failing` where the mail server takes none. Neither makes it fail.',
    shape: v.object({
      status: v.literal('ok'),
      version: text,
      delivery: v.picklist(['ok', 'late', 'refused']),
      pushServices: v.object({
        state: v.picklist([
          'accepting',
          'refusing',
          'unreachable',
          'reachable',
          'quiet',
          'unknown',
          'unused',
        ]),
        since: maybeTime,
      }),
      mail: v.picklist(['ok', 'late', 'failing']),
    }),
    answer: {
      status: 'ok',
      version: '0.1.0',
      delivery: 'ok',
      pushServices: { state: 'accepting', since: '2026-11-20T06:00:00.000Z' },
      mail: 'ok',
    },
  },
  'GET /api/openapi.json': {
    does: 'Read this document',
    more: 'For people it is at `/api/docs`.',
    hasTag: true,
    shape: v.looseObject({ openapi: text }),
    answer: { openapi: '3.1.1' },
  },
} satisfies OperationCalls & Partial<Record<keyof Endpoints, unknown>>;
