/**
 * Which answers `call` takes for what they claim to be. Each check is made from an example of the
 * contract's shape: an answer fits if it has all the fields of the example, of the same types.
 * `null` in an example stands for anything. Here are those that everybody needs; `shapes/admin.ts`
 * has the administrator's.
 */
import type { Timestamp } from '../shared/contract';
import { fits } from './fits';

export type Check<T> = ((answer: unknown) => boolean) & { readonly of?: T };

export const like =
  <T>(example: T): Check<T> =>
  (answer) =>
    fits(answer, example);

/** A row without its date is still worth showing, with `-` in its place. */
export const anyTime = null as unknown as Timestamp;
