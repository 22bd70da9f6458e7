/**
 * Tells the server what this person did with their messages: what a press says at once, and what
 * could not be told then as soon as there is a connection.
 */
import { call } from '../api/call';
import { ApiError } from '../api/error';
import { recorded } from '../shared/contract/inbox' with { type: 'example' };
import { onReconnect, onReturn } from '../platform/network';
import { areRecorded, oneByOne, tellReceipts } from '../platform/storage/receipt-queue';
import { isOfPerson, own, owner, queueReceipt } from '../platform/storage/received';
import type { Receipt } from '../shared/contract';
import { claims } from './session';

/** What could not even be kept: it is told from here while this page lives. */
let unkept: { person: number; receipt: Receipt }[] = [];
/** So many of them: the server takes no more at once. */
const MAX_UNKEPT = 100;

/**
 * Notes that the person read or answered a message, and tells the server. Resolves once it is noted
 * and, if that was possible, told: with whether it was. Never rejects.
 */
export async function reportReceipt(receipt: Receipt): Promise<boolean> {
  const person = claims.value?.id;
  if (person === undefined) return false;
  const dated = { at: new Date().toISOString(), ...receipt };
  if (!(await queueReceipt(person, dated)))
    unkept = [...unkept, { person, receipt: dated }].slice(-MAX_UNKEPT);
  return sendReceipts();
}

/** Tells the server all that waits. Resolves with whether nothing does now; never rejects. */
export const sendReceipts = oneByOne(async () => {
  const person = claims.value?.id;
  if (person === undefined) return false;
  unkept = unkept.filter((one) => one.person === person);
  const mine = unkept;
  const registered = await owner();
  // How a test went the server believes of the session that registered the device. Until this one
  // has, that waits: told now it would count for nothing, and be gone.
  const isOurs = !registered || registered.sid === claims.value?.sid;
  const told = await tellReceipts(
    person,
    (receipts) => (claims.value?.id === person ? tell(receipts) : Promise.resolve(0)),
    (receipt) => isOurs || isOfPerson(receipt),
  );
  if (!mine.length || claims.value?.id !== person) return told;
  if (!areRecorded(await tell(mine.map(({ receipt }) => receipt)))) return false;
  unkept = unkept.filter((one) => !mine.includes(one));
  return told;
});

/** The answer's status; 0 without one. */
async function tell(receipts: Receipt[]): Promise<number> {
  try {
    await call('POST /api/notifications/receipts', {
      body: { receipts },
      fallback: 'The server was not told.',
      like: recorded,
    });
    return 200;
  } catch (error) {
    return (error instanceof ApiError && error.status) || 0;
  }
}

/** Call once the person is known: what another left here is forgotten, what waits is told. */
export async function beginReceipts(): Promise<void> {
  const person = claims.value?.id;
  if (person === undefined) return;
  await own(person);
  await sendReceipts();
}

onReconnect(() => void sendReceipts());
onReturn(() => void sendReceipts());
