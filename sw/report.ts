/**
 * What the worker tells the server without any page: what became of messages, and that the push
 * subscription is another one. It speaks by the device's key, which can do nothing else.
 */
import { address } from '../src/api/address';
import { areRecorded, oneByOne, tellReceipts } from '../src/platform/storage/receipt-queue';
import {
  dropKey,
  keepPush,
  owner,
  type ReceivedMessage,
  type Owner,
} from '../src/platform/storage/received';
import type { Body, Endpoint, Receipt } from '../src/shared/contract';

/**
 * Browsers end a worker that takes long, and receipts that are not told now go with the next event.
 */
const LIMIT_MS = 5000;
const RECEIPTS = 'POST /api/notifications/receipts';

/**
 * Keeps a message that a push brought and its receipt, and tells that with all that waits. Resolves
 * with whether it was kept or told; never rejects. `noted` is called before anything is told, with
 * whose it is and whether it was kept.
 */
export async function reportFromWorker(
  receipt: Receipt | undefined,
  message?: ReceivedMessage,
  noted?: (person: number, isKept: boolean) => void,
): Promise<boolean> {
  const whose = await owner();
  if (!whose) return false;
  const dated = receipt && { at: new Date().toISOString(), ...receipt };
  const kept = await keepPush(whose.person, message, dated);
  noted?.(whose.person, kept);
  const told = await sendWaitingReceipts();
  if (kept || !dated) return kept || told;
  return areRecorded(await send(RECEIPTS, whose, { receipts: [dated] }));
}

/** Tells what waits. Resolves with whether nothing does now; never rejects. */
export const sendWaitingReceipts = oneByOne(async () => {
  const whose = await owner();
  return (
    whose !== undefined &&
    tellReceipts(whose.person, (receipts) => send(RECEIPTS, whose, { receipts }))
  );
});

/** Tells the device's new token. Resolves with whether the server has it now. */
export const sendToken = async (whose: Owner, deviceToken: string): Promise<boolean> =>
  areRecorded(await send('PUT /api/notifications/device-token', whose, { deviceToken }));

/** The answer's status; 0 without an answer. A key that is refused is forgotten. */
async function send<E extends Endpoint>(endpoint: E, whose: Owner, body: Body<E>): Promise<number> {
  const [method = '', path = ''] = endpoint.split(' ');
  const options = {
    method,
    headers: { Authorization: `Bearer ${whose.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(LIMIT_MS),
    cache: 'no-store' as const,
  };
  const ask = () => fetch(address(path), options);
  try {
    // Once more at once: a connection that was kept from before may be dead, and the next event far.
    const { status } = await ask().catch(ask);
    if (status === 401) await dropKey(whose); // the next start of the app fetches another
    return status;
  } catch (error) {
    console.warn('The server could not be told', error);
    return 0;
  }
}
