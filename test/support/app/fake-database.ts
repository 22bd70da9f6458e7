/**
 * As much of IndexedDB as the app needs: one store per database, transactions one after the other,
 * requests that succeed a turn later. A failed transaction (after `fillStorage`, or a fault) changes nothing.
 */
type Entries = Map<unknown, unknown>;

const opened = new Map<string, number>();
const databases = new Map<string, Map<string, Entries>>();
let isFull = false;
let lastTransaction: Promise<unknown> = Promise.resolve();
/** Opening a database waits for the end of its deletion. */
let deletion: Promise<unknown> = Promise.resolve();

interface Request {
  result?: unknown;
  error?: unknown;
  onsuccess?: () => void;
  onerror?: () => void;
  onupgradeneeded?: () => void;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

class Transaction {
  error: unknown = null;
  oncomplete?: () => void;
  onabort?: () => void;
  private waiting: (() => void)[] = [];
  private entries: Entries = new Map();
  constructor(
    private stores: Map<string, Entries>,
    private name: string,
    readonly db: object,
  ) {
    lastTransaction = lastTransaction.then(() => this.run());
  }
  private async run() {
    this.entries = new Map(this.stores.get(this.name));
    await nextTurn();
    let hasChanged = false;
    try {
      for (let runRequest = this.waiting.shift(); runRequest; runRequest = this.waiting.shift()) {
        runRequest();
        await nextTurn();
      }
      hasChanged = this.changed;
      if (hasChanged && isFull) throw new DOMException('No room', 'QuotaExceededError');
    } catch (error) {
      this.error = error;
      this.onabort?.();
      return;
    }
    if (hasChanged) this.stores.set(this.name, this.entries);
    this.oncomplete?.();
  }
  private changed = false;
  private request(work: () => unknown): Request {
    const request: Request = {};
    this.waiting.push(() => {
      request.result = work();
      request.onsuccess?.();
    });
    return request;
  }
  objectStore() {
    return {
      transaction: this,
      get: (key: unknown) => this.request(() => structuredClone(this.entries.get(key))),
      put: (value: unknown, key: unknown) => {
        const storedValue: unknown = structuredClone(value);
        this.changed = true;
        return this.request(() => this.entries.set(key, storedValue));
      },
      delete: (key: unknown) => {
        this.changed = true;
        return this.request(() => this.entries.delete(key));
      },
      clear: () => {
        this.changed = true;
        return this.request(() => this.entries.clear());
      },
    };
  }
}

function open(name: string): Request {
  const request: Request = {};
  void deletion.then(() =>
    setTimeout(() => {
      const isNew = !databases.has(name);
      const stores = databases.get(name) ?? new Map<string, Entries>();
      databases.set(name, stores);
      opened.set(name, (opened.get(name) ?? 0) + 1);
      const database = {
        createObjectStore: (store: string) => stores.set(store, new Map()),
        transaction: (store: string) => new Transaction(stores, store, database),
        close: () => opened.set(name, (opened.get(name) ?? 0) - 1),
      };
      request.result = database;
      if (isNew) request.onupgradeneeded?.();
      request.onsuccess?.();
    }),
  );
  return request;
}

function deleteDatabase(name: string): Request {
  const request: Request = {};
  lastTransaction = deletion = lastTransaction.then(() => {
    databases.delete(name);
    request.onsuccess?.();
  });
  return request;
}

export const fakeDatabase = {
  install(): void {
    for (const stores of databases.values())
      for (const name of stores.keys()) stores.set(name, new Map());
    isFull = false;
    opened.clear();
    Object.assign(globalThis, { indexedDB: { open, deleteDatabase } });
  },
  /** Makes all writes fail from now on. */
  fillStorage(): void {
    isFull = true;
  },
  /** Reads and writes wait until the returned function is called. */
  holdTransactions(): () => void {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    lastTransaction = lastTransaction.then(() => released);
    return release;
  },
  /** How often a database was opened and not closed. */
  countOpenConnections: (name: string): number => opened.get(name) ?? 0,
  remove(): void {
    Reflect.deleteProperty(globalThis, 'indexedDB');
  },
};
