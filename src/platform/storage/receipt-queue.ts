/** Sends queued receipts; page and worker share it. */
import type { Receipt } from '../../shared/contract';
import { dropReceipts, readPendingReceipts } from './received';

/** The server's limit. */
const MAX_BATCH_SIZE = 100;

/**
 * Sends all receipts, oldest first. After a 400 it sends halves until the invalid receipt is alone,
 * and drops it: it would block all others. After any other failure all stay.
 * @param post resolves with the status, or 0 without a response; never rejects
 * @param isDue whether a receipt may be sent now; others stay and are not counted
 * @returns whether nothing is left to send
 */
export async function sendQueuedReceipts(
  person: number,
  post: (receipts: Receipt[]) => Promise<number>,
  isDue: (receipt: Receipt) => boolean = () => true,
): Promise<boolean> {
  let batchSize = MAX_BATCH_SIZE;
  for (;;) {
    const batch = (await readPendingReceipts(person)).filter(isDue).slice(0, batchSize);
    if (!batch.length) return true;
    const status = await post(batch);
    if (status === 400 && batch.length > 1) {
      batchSize = batch.length >> 1;
      continue;
    }
    // A receipt that cannot be dropped would be sent forever.
    if ((status !== 400 && !isSuccessStatus(status)) || !(await dropReceipts(person, batch)))
      return false;
  }
}

export const isSuccessStatus = (status: number): boolean => status >= 200 && status < 300;

/** Runs `work` one at a time. Callers during a run share the next one. */
export function runOneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let currentRun: Promise<T> | undefined;
  let nextRun: Promise<T> | undefined;
  const startRun = (): Promise<T> => {
    nextRun = undefined;
    currentRun = work().finally(() => {
      currentRun = undefined;
    });
    return currentRun;
  };
  return () => {
    if (!currentRun) return nextRun ?? startRun();
    nextRun ??= currentRun.then(startRun, startRun);
    return nextRun;
  };
}
