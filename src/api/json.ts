/**
 * What an answer's JSON says; undefined where it is none. Rejects if it is cut off or too late. Data
 * has no methods: a field by the name of one would make everything throw that asks an object for its
 * text or number, such as `Date.parse`, and nothing of ours is called so.
 */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text, (name, value: unknown) =>
      name === 'toString' || name === 'valueOf' ? undefined : value,
    );
  } catch {
    return undefined;
  }
}
