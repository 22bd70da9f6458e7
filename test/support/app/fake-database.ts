/**
 * As much of IndexedDB as what is kept for offline use needs: one store, whose requests succeed a
 * turn later.
 */
const entries = new Map<unknown, unknown>();

interface Request {
  result: unknown;
  onsuccess?: () => void;
  oncomplete?: () => void;
}
function succeed(result?: unknown): Request {
  const request: Request = { result };
  setTimeout(() => {
    request.onsuccess?.();
    request.oncomplete?.();
  });
  return request;
}
const objectStore = () => ({
  get: (key: unknown) => succeed(entries.get(key)),
  put: (value: unknown, key: unknown) => entries.set(key, structuredClone(value)),
  clear: () => entries.clear(),
  get transaction() {
    return succeed();
  },
});

export const fakeDatabase = {
  install(): void {
    entries.clear();
    Object.assign(globalThis, {
      indexedDB: { open: () => succeed({ transaction: () => ({ objectStore }) }) },
    });
  },
  remove(): void {
    Reflect.deleteProperty(globalThis, 'indexedDB');
  },
};
