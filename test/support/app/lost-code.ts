/** Code that the app fetches when it is needed: cannot be had, as after a deploy, or comes late. */
type Fetch = () => Promise<unknown>;
const ways = new Map<string, (fetch: Fetch) => Promise<unknown>>();

/** What is imported under this name comes this way, until the returned function is called. */
function fetchBy(name: string, way: (fetch: Fetch) => Promise<unknown>): () => void {
  ways.set(name, way);
  // What each `import()` calls in the bundle of the tests (`test/support/lost-code.mjs`).
  Object.assign(globalThis, {
    fetchCode: (wanted: string, fetch: Fetch) => ways.get(wanted)?.(fetch) ?? fetch(),
  });
  return () => void ways.delete(name);
}

/** From now on what is imported under this name fails. Returns how to have it again. */
export const loseCode = (name: string): (() => void) =>
  fetchBy(name, () =>
    Promise.reject(new TypeError(`Failed to fetch dynamically imported module: ${name}`)),
  );

/** What is imported under this name is held back until the returned function is called. */
export function holdCode(name: string): () => void {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const end = fetchBy(name, (fetch) => released.then(fetch));
  return () => {
    end();
    release();
  };
}
