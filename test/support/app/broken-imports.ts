/** Makes lazy code fail to load, as after a deploy, or load late. */
type Fetch = () => Promise<unknown>;
const loaders = new Map<string, (fetch: Fetch) => Promise<unknown>>();

/** Imports of this name use this loader until the returned function is called. */
function replaceLoader(name: string, loader: (fetch: Fetch) => Promise<unknown>): () => void {
  loaders.set(name, loader);
  // Called by each `import()` in the tests' bundle (`test/support/broken-imports.mjs`).
  Object.assign(globalThis, {
    fetchCode: (wanted: string, fetch: Fetch) => loaders.get(wanted)?.(fetch) ?? fetch(),
  });
  return () => void loaders.delete(name);
}

/** Imports of this name fail until the returned function is called. */
export const failImports = (name: string): (() => void) =>
  replaceLoader(name, () =>
    Promise.reject(new TypeError(`Failed to fetch dynamically imported module: ${name}`)),
  );

/** Imports of this name wait until the returned function is called. */
export function delayImports(name: string): () => void {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const restoreLoader = replaceLoader(name, (fetch) => released.then(fetch));
  return () => {
    restoreLoader();
    release();
  };
}
