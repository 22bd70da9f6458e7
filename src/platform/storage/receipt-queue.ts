/** How what waits to be reported is told: alike by a page and by the worker. */
import type { Receipt } from '../../shared/contract';
import { dropReceipts, waitingReceipts } from './received';

/** The server takes no more at once. */
const MAX_BATCH = 100;

/**
 * Tells all that waits of the person, the oldest first. What the server refuses as wrong (400) is
 * told by halves, until the wrong receipt stands alone and is dropped: it would be refused for
 * ever, and hold up all others. After any other failure everything waits on.
 * @param tell resolves with the answer's status, or 0 without one; never rejects
 * @param isDue whether a receipt may be told now: others are left, and count for nothing
 * @returns whether nothing is left to tell
 */
export async function tellReceipts(
  person: number,
  tell: (receipts: Receipt[]) => Promise<number>,
  isDue: (receipt: Receipt) => boolean = () => true,
): Promise<boolean> {
  let size = MAX_BATCH;
  for (;;) {
    const batch = (await waitingReceipts(person)).filter(isDue).slice(0, size);
    if (!batch.length) return true;
    const status = await tell(batch);
    if (status === 400 && batch.length > 1) {
      size = batch.length >> 1;
      continue;
    }
    // A receipt that is told and cannot be dropped would be told for ever.
    if ((status !== 400 && !areRecorded(status)) || !(await dropReceipts(person, batch)))
      return false;
  }
}

/** Whether the server took it. */
export const areRecorded = (status: number): boolean => status >= 200 && status < 300;

/**
 * The work, once at a time: callers meanwhile share the work that begins after it.
 */
export function oneByOne<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  };
  return () => {
    if (!current) return next ?? begin();
    next ??= current.then(begin, begin);
    return next;
  };
}
