/** The sample's phones in the running demo: accept pushes, and report receipts over the API. */
import { Agent, request } from 'node:http';
import { reactToPush, readPush, choosePushStatus, type PhoneAction, type Phone } from './phone';
import type { PushResponder } from './push-service';
import type { Sample } from '../sample';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_SOCKETS = 8;
const MAX_WAITING_REPORTS = 10_000;

export interface Phones {
  handlePush: PushResponder;
  stop(): void;
}

export function startPhones(
  { phones, futureReports: later }: Sample,
  address: string,
  pace: number,
): Phones {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const timers = new Set<NodeJS.Timeout>();

  function report({ deviceKey }: Phone, messageId: string, { kind, answer }: PhoneAction): void {
    const at = new Date().toISOString();
    const body = JSON.stringify({ receipts: [{ messageId, kind, at, ...(answer && { answer }) }] });
    const receiptRequest = request(`${address}/api/notifications/receipts`, {
      method: 'POST',
      agent,
      timeout: REQUEST_TIMEOUT_MS,
      headers: { Authorization: `Bearer ${deviceKey}`, 'Content-Type': 'application/json' },
    });
    receiptRequest.on('response', (response) => response.resume());
    receiptRequest.on('timeout', () => receiptRequest.destroy());
    // The server may have stopped, and the demo with it.
    receiptRequest.on('error', () => undefined);
    receiptRequest.end(body);
  }

  function reportAfter(delay: number, phone: Phone, messageId: string, action: PhoneAction): void {
    if (timers.size >= MAX_WAITING_REPORTS) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      report(phone, messageId, action);
    }, delay * pace);
    timers.add(timer);
  }

  const now = Date.now();
  for (const { phone, messageId, action, at } of later)
    reportAfter(Math.max(0, at - now), phone, messageId, action);

  return {
    handlePush(place, body) {
      const phone = phones.get(place);
      if (phone === undefined) return 404;
      const status = choosePushStatus(phone, true);
      if (status !== 201) return status;
      const push = readPush(body, phone.keys);
      for (const action of push === undefined ? [] : reactToPush(phone, push, Math.random))
        reportAfter(action.after, phone, push?.id ?? '', action);
      return status;
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      agent.destroy();
    },
  };
}
