/**
 * Long reads of the embedded engine. SQLite works inside the call, and everybody else would wait:
 * so these run in a thread with a connection of its own, which sees all that was committed.
 */
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
/** Its rows are one page. */
const MEGABYTES = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

export interface Aside {
  /** Resolves with undefined where the thread cannot say: then the caller asks for itself. */
  read(query: CompiledQuery): Promise<unknown[] | undefined>;
  close(): Promise<void>;
}

export function createAside(file: string, lockWait: number): Aside {
  let thread: Worker | undefined;
  let isLost = false;
  /** It answers in the order in which it is asked. */
  let asked: ((rows: unknown[] | undefined) => void)[] = [];

  /** It is not replaced: what ended it would end the next one. */
  function lose(): void {
    isLost = true;
    for (const answer of asked) answer(undefined);
    asked = [];
  }

  function begin(): Worker {
    const workerData = { file, lockWait, from: import.meta.url };
    const begun = new Worker(THREAD, {
      eval: true,
      name: 'reads',
      resourceLimits: MEGABYTES,
      workerData,
    });
    begun.on('message', (rows: unknown[] | undefined) => asked.shift()?.(rows));
    begun.on('error', lose);
    begun.on('exit', lose);
    begun.unref();
    return begun;
  }

  return {
    read: ({ sql, parameters }) =>
      new Promise((answer) => {
        if (isLost) return answer(undefined);
        thread ??= begin();
        asked.push(answer);
        thread.postMessage({ sql, parameters });
      }),
    async close() {
      isLost = true;
      await thread?.terminate();
    },
  };
}
