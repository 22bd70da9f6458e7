/** A browser's connections per host. More requests would only queue, and count as slow. */
const MAX_PARALLEL_REQUESTS = 6;

/** A few at a time. Resolves with the failed items and the first error. */
export async function attemptAll<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<{ failed: Item[]; firstError?: unknown }> {
  const failures: { item: Item; error: unknown }[] = [];
  for (let done = 0; done < items.length; done += MAX_PARALLEL_REQUESTS) {
    await Promise.all(
      items.slice(done, done + MAX_PARALLEL_REQUESTS).map((item) =>
        work(item).catch((error: unknown) => {
          failures.push({ item, error });
        }),
      ),
    );
  }
  return { failed: failures.map(({ item }) => item), firstError: failures[0]?.error };
}
