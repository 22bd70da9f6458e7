/**
 * Tells the server what this person did with their messages: what a press says at once, and what
 * could not be told then as soon as there is a connection.
 */
import { call } from '../api/call';
import { ApiError } from '../api/error';
import { like } from '../api/shapes';
import { onReconnect, onReturn } from '../platform/network';
import { dropReceipts, queueReceipt, waitingReceipts } from '../platform/received';
import type { Receipt } from '../shared/contract';
import { claims } from './session';

/** The server takes no more at once. */
const MAX_BATCH = 100;

/** What could not even be kept: it is told from here while this page lives. */
let unkept: { person: number; receipt: Receipt }[] = [];

/**
 * Notes that the person read or answered a message, and tells the server. Resolves once it is noted
 * and was told if that was possible; never rejects.
 */
export async function report(receipt: Receipt): Promise<void> {
  const person = claims.value?.id;
  if (person === undefined) return;
  const dated = { at: new Date().toISOString(), ...receipt };
  if (!(await queueReceipt(person, dated))) unkept.push({ person, receipt: dated });
  await sendReceipts();
}

let sending: Promise<void> | undefined;
let again = false;

/** Tells the server all that waits. One at a time; what comes meanwhile goes with the next. */
export function sendReceipts(): Promise<void> {
  if (sending) {
    again = true;
    return sending;
  }
  sending = (async () => {
    do {
      again = false;
      await send();
    } while (again);
  })().finally(() => {
    sending = undefined;
  });
  return sending;
}

async function send(): Promise<void> {
  const person = claims.value?.id;
  if (person === undefined) return;
  for (;;) {
    const kept = await waitingReceipts(person);
    unkept = unkept.filter((one) => one.person === person);
    const batch = [...kept, ...unkept.map(({ receipt }) => receipt)].slice(0, MAX_BATCH);
    if (!batch.length || claims.value?.id !== person) return;
    try {
      await call('POST /api/notifications/receipts', {
        body: { receipts: batch },
        fallback: 'The server was not told.',
        like: like({ recorded: 0 }),
      });
    } catch (error) {
      // What the server finds wrong it will find wrong the next time; anything else may pass.
      if (!(error instanceof ApiError) || error.status !== 400) return;
      console.warn('The server refused what it was told of messages', error);
    }
    unkept = unkept.filter(({ receipt }) => !batch.includes(receipt));
    if (kept.length && !(await dropReceipts(person, batch))) return; // else the same for ever
  }
}

onReconnect(() => void sendReceipts());
onReturn(() => void sendReceipts());
