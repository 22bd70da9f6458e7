import type { GenericSchema } from 'valibot';

/** Of all of an answer, or of what of it is needed. */
export type Example<Value> = GenericSchema<unknown, Partial<Value>>;

/**
 * Whether an answer is what the contract says: it has all that its example has, of the same types.
 * The build makes the examples of the contract's schemas. `null` in one stands for anything; what a
 * name with `?` stands for may be missing or null.
 */
export function fits(value: unknown, example: unknown): boolean {
  if (example === null) return true;
  if (Array.isArray(example))
    return Array.isArray(value) && value.every((item) => fits(item, example[0] ?? null));
  if (typeof example !== 'object') return typeof value === typeof example;
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(example).every(([key, part]) => {
      const [name = ''] = key.split('?');
      const one = (value as Record<string, unknown>)[name];
      return (name !== key && one == null) || fits(one, part);
    })
  );
}
