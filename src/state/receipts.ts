/** Sends receipts: at once, or as soon as there is a connection. */
import { call } from '../api/call';
import { ApiError } from '../api/error';
import { recordedSchema } from '../shared/contract/inbox' with { type: 'example' };
import { onReconnect, onReturn } from '../platform/network';
import {
  isSuccessStatus,
  runOneAtATime,
  sendQueuedReceipts,
} from '../platform/storage/receipt-queue';
import {
  isOfPerson,
  clearOtherPerson,
  readDeviceOwner,
  queueReceipt,
} from '../platform/storage/received';
import type { Receipt } from '../shared/contract';
import { sessionClaims } from './session';

/** Receipts that could not be stored. This page sends them while it is open. */
let unsavedReceipts: { person: number; receipt: Receipt }[] = [];
/** The server's limit for one call. */
const MAX_UNSAVED_RECEIPTS = 100;

/** Queues and sends a receipt. Resolves with whether everything was sent; never rejects. */
export async function reportReceipt(receipt: Receipt): Promise<boolean> {
  const person = sessionClaims.value?.id;
  if (person === undefined) return false;
  const datedReceipt = { at: new Date().toISOString(), ...receipt };
  if (!(await queueReceipt(person, datedReceipt)))
    unsavedReceipts = [...unsavedReceipts, { person, receipt: datedReceipt }].slice(
      -MAX_UNSAVED_RECEIPTS,
    );
  return sendReceipts();
}

/** Sends all queued receipts. Resolves with whether the queue is empty; never rejects. */
export const sendReceipts = runOneAtATime(async () => {
  const person = sessionClaims.value?.id;
  if (person === undefined) return false;
  unsavedReceipts = unsavedReceipts.filter((entry) => entry.person === person);
  const batch = unsavedReceipts;
  const registration = await readDeviceOwner();
  // The server accepts test receipts only from the session that registered the device. Others must
  // wait for the server: receipts sent now would be lost.
  const isSameSession = !registration || registration.sid === sessionClaims.value?.sid;
  const isSent = await sendQueuedReceipts(
    person,
    (receipts) =>
      sessionClaims.value?.id === person ? postReceipts(receipts) : Promise.resolve(0),
    (receipt) => isSameSession || isOfPerson(receipt),
  );
  if (!batch.length || sessionClaims.value?.id !== person) return isSent;
  if (!isSuccessStatus(await postReceipts(batch.map(({ receipt }) => receipt)))) return false;
  unsavedReceipts = unsavedReceipts.filter((entry) => !batch.includes(entry));
  return isSent;
});

/** The response's status; 0 without a response. */
async function postReceipts(receipts: Receipt[]): Promise<number> {
  try {
    await call('POST /api/notifications/receipts', {
      body: { receipts, sentAt: new Date().toISOString() },
      fallback: 'Failed to report to the server.',
      like: recordedSchema,
    });
    return 200;
  } catch (error) {
    return (error instanceof ApiError && error.status) || 0;
  }
}

/** Call once the person is known: drops another person's receipts, and sends the queued ones. */
export async function beginReceipts(): Promise<void> {
  const person = sessionClaims.value?.id;
  if (person === undefined) return;
  await clearOtherPerson(person);
  await sendReceipts();
}

onReconnect(() => void sendReceipts());
onReturn(() => void sendReceipts());
