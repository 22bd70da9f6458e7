// The worker's own reports: receipts, and a new push token. The device's key allows nothing else.
import { apiUrl } from '../src/api/url';
import {
  isSuccessStatus,
  runOneAtATime,
  sendQueuedReceipts,
} from '../src/platform/storage/receipt-queue';
import {
  deleteDeviceKey,
  keepPush,
  readDeviceOwner,
  type ReceivedMessage,
  type DeviceOwner,
} from '../src/platform/storage/received';
import type { Body, Endpoint, Receipt, ResponseOf } from '../src/shared/contract';
import { noteWithdrawn } from './withdrawn';

/** Browsers end slow workers; unsent receipts go with the next event. */
const REQUEST_TIMEOUT_MS = 5000;
const RECEIPTS_ENDPOINT = 'POST /api/notifications/receipts';

/**
 * Sends all that waits, too. Resolves with whether the server has everything; undefined if the
 * receipt is neither stored nor sent. Never rejects.
 * @param onStored called before sending, with the person and whether it was stored
 */
export async function reportFromWorker(
  receipt: Receipt | undefined,
  message?: ReceivedMessage,
  onStored?: (person: number, isKept: boolean) => void,
): Promise<boolean | undefined> {
  // An answer waits for the next sign-in if the server rejected the key.
  const deviceOwner = await readDeviceOwner(Boolean(receipt?.answer));
  if (!deviceOwner) return undefined;
  const datedReceipt = receipt && { at: new Date().toISOString(), ...receipt };
  const isKept = await keepPush(deviceOwner.person, message, datedReceipt);
  onStored?.(deviceOwner.person, isKept);
  const isSent = await sendWaitingReceipts();
  if (isKept || !datedReceipt) return isSent;
  return isSuccessStatus(await sendReceipts(deviceOwner, [datedReceipt])) || undefined;
}

const sendReceipts = (deviceOwner: DeviceOwner, receipts: Receipt[]) =>
  sendToServer(RECEIPTS_ENDPOINT, deviceOwner, { receipts, sentAt: new Date().toISOString() });

/** Resolves with whether the queue is empty; never rejects. */
export const sendWaitingReceipts = runOneAtATime(async () => {
  const deviceOwner = await readDeviceOwner();
  return (
    deviceOwner !== undefined &&
    sendQueuedReceipts(deviceOwner.person, (receipts) => sendReceipts(deviceOwner, receipts))
  );
});

/** Resolves with whether the server has the token. */
export const sendToken = async (deviceOwner: DeviceOwner, deviceToken: string): Promise<boolean> =>
  isSuccessStatus(
    await sendToServer('PUT /api/notifications/device-token', deviceOwner, { deviceToken }),
  );

/** The status; 0 without a response. A rejected key is deleted. */
async function sendToServer<E extends Endpoint>(
  endpoint: E,
  deviceOwner: DeviceOwner,
  body: Body<E>,
): Promise<number> {
  const [method = '', path = ''] = endpoint.split(' ');
  const options = {
    method,
    headers: { Authorization: `Bearer ${deviceOwner.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  };
  const fetchOnce = () => fetch(apiUrl(path), options);
  try {
    // The request is retried once: a kept-alive connection may be closed, and the next event may be far off.
    const response = await fetchOnce().catch(fetchOnce);
    const { status } = response;
    if (isSuccessStatus(status)) noteWithdrawn(await readWithdrawn(response));
    if (status === 401) await deleteDeviceKey(deviceOwner); // the next start of the app fetches another
    return status;
  } catch {
    return 0;
  }
}

/** Receipts that were sent stay sent, even if the response is not JSON. */
const readWithdrawn = async (response: Response): Promise<string[]> => {
  const body = (await response.json().catch(() => undefined)) as
    | ResponseOf<typeof RECEIPTS_ENDPOINT>
    | undefined;
  return body?.withdrawn ?? [];
};
