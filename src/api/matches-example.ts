import type { GenericSchema } from 'valibot';

/** An example of a whole response, or of the part that the app needs. */
export type ExampleSchema<Value> = GenericSchema<unknown, Partial<Value>>;

/**
 * Whether a value has every field of `example`, with the same types. The build derives examples
 * from the contract's schemas. `null` matches anything; a field named with `?` may be missing or
 * null.
 */
export function matchesExample(value: unknown, example: unknown): boolean {
  if (example === null) return true;
  if (Array.isArray(example))
    return Array.isArray(value) && value.every((item) => matchesExample(item, example[0] ?? null));
  if (typeof example !== 'object') return typeof value === typeof example;
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(example).every(([key, part]) => {
      const [name = ''] = key.split('?');
      const member = (value as Record<string, unknown>)[name];
      return (name !== key && member == null) || matchesExample(member, part);
    })
  );
}
