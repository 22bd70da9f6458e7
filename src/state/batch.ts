/**
 * A browser opens about so many connections to one host: more requests at once would only wait, and
 * count as slow.
 */
const AT_ONCE = 6;

/**
 * Does the work for every item, a few at a time, whatever fails. Resolves with the items that did,
 * and why the first of them did.
 */
export async function attemptAll<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<{ failed: Item[]; why?: unknown }> {
  const failures: { item: Item; why: unknown }[] = [];
  for (let done = 0; done < items.length; done += AT_ONCE) {
    await Promise.all(
      items.slice(done, done + AT_ONCE).map((item) =>
        work(item).catch((why: unknown) => {
          failures.push({ item, why });
        }),
      ),
    );
  }
  return { failed: failures.map(({ item }) => item), why: failures[0]?.why };
}
