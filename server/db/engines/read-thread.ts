/** Runs long reads of the embedded engine in a thread, because SQLite blocks the event loop. */
import { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';

const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const Database = require('node:module').createRequire(workerData.from)('libsql');
const database = new Database(workerData.file, { timeout: workerData.lockWait });
parentPort.on('message', ({ sql, parameters }) => {
  let rows;
  try {
    rows = database.prepare(sql).all(parameters);
  } catch {}
  parentPort.postMessage(rows);
});`;
/** Small, as it returns one page of rows. */
const MEGABYTES = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

export interface ReadThread {
  /** Resolves with undefined if the thread fails; the caller then runs the query itself. */
  read(query: CompiledQuery): Promise<unknown[] | undefined>;
  close(): Promise<void>;
}

export function createReadThread(file: string, lockWait: number): ReadThread {
  let thread: Worker | undefined;
  let isLost = false;
  /** Waiting callers; the thread replies in order. */
  let pendingReplies: ((rows: unknown[] | undefined) => void)[] = [];

  /** The thread is not restarted, because the same cause would end the next one. */
  function handleThreadLoss(): void {
    isLost = true;
    for (const resolve of pendingReplies) resolve(undefined);
    pendingReplies = [];
  }

  function startReadThread(): Worker {
    const workerData = { file, lockWait, from: import.meta.url };
    const newThread = new Worker(THREAD, {
      eval: true,
      name: 'reads',
      resourceLimits: MEGABYTES,
      workerData,
    });
    newThread.on('message', (rows: unknown[] | undefined) => pendingReplies.shift()?.(rows));
    newThread.on('error', handleThreadLoss);
    newThread.on('exit', handleThreadLoss);
    newThread.unref();
    return newThread;
  }

  return {
    read: ({ sql, parameters }) =>
      new Promise((resolve) => {
        if (isLost) return resolve(undefined);
        thread ??= startReadThread();
        pendingReplies.push(resolve);
        thread.postMessage({ sql, parameters });
      }),
    async close() {
      isLost = true;
      await thread?.terminate();
    },
  };
}
