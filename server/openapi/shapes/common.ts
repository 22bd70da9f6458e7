/** What several shapes use. */
import * as v from 'valibot';
import type { ErrorBody } from '../../../src/shared/contract';
import { shapeOf } from '../call';

/** ISO 8601 in UTC. */
export const time = v.pipe(v.string(), v.metadata({ format: 'date-time' }));
export const maybeTime = v.nullable(time);
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const id = v.pipe(v.number(), v.integer(), v.minValue(1));
export const uuid = v.pipe(v.string(), v.metadata({ format: 'uuid' }));
export const text = v.string();
export const maybeText = v.nullable(v.string());
export const uri = v.pipe(v.string(), v.metadata({ format: 'uri' }));

/** Of a page of a list. */
export const page = {
  total: v.pipe(count, v.description('How many rows match, on all pages.')),
  page: id,
  limit: id,
};

/** What was done, as a sentence for people. */
export const done = shapeOf<{ message: string }>()(v.object({ message: text }));

export const failure = shapeOf<ErrorBody>()(
  v.object({
    error: v.union([
      v.pipe(text, v.description('A sentence for people.')),
      v.array(
        v.object({
          message: text,
          path: v.exactOptional(v.pipe(text, v.description('The field that it is about.'))),
        }),
      ),
    ]),
    code: v.exactOptional(
      v.pipe(
        v.picklist(['signed_out', 'second_factor', 'second_factor_set_up']),
        v.description(
          'Of a 401 alone: the device of this session was signed out; or the sign-in has a second step.',
        ),
      ),
    ),
    challenge: v.exactOptional(
      v.pipe(text, v.description('What the second step of a sign-in is asked with.')),
    ),
  }),
);
