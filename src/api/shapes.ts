/**
 * Which answers `call` takes for what they claim to be. Each check is made from an example of the
 * contract's shape: an answer fits if it has all the fields of the example, of the same types.
 * `null` in an example stands for anything. Here are those that everybody needs; `shapes/admin.ts`
 * has the administrator's.
 */
import type { Preference, Subscription, Timestamp } from '../shared/contract';

export type Check<T> = ((answer: unknown) => boolean) & { readonly of?: T };

function fits(value: unknown, example: unknown): boolean {
  if (example === null) return true;
  if (Array.isArray(example))
    return Array.isArray(value) && value.every((item) => fits(item, example[0] ?? null));
  if (typeof example !== 'object') return typeof value === typeof example;
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(example).every(([name, part]) =>
      fits((value as Record<string, unknown>)[name], part),
    )
  );
}

export const like =
  <T>(example: T): Check<T> =>
  (answer) =>
    fits(answer, example);

/** A row without its date is still worth showing, with `-` in its place. */
export const anyTime = null as unknown as Timestamp;

export const subscriptions = like<Subscription[]>([
  { id: 0, createdAt: anyTime, topic: { id: 0, title: '', description: '' } },
]);
export const preferences = like<Preference[]>([{ topicId: 0, enabled: true }]);
