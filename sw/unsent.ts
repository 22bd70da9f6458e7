/** Answers to “Are you OK?” that the phone could not send: shows this, and keeps trying. */
import { isReceiptQueued, sendWaitingReceipts } from './report';
import type { Receipt } from '../src/shared/contract';
import { CHECK_IN_PAGE } from '../src/shared/check-in-page';
import { ownNotification } from './notification';
import type { NotificationData } from './notification-data';
import { URGENT_VIBRATION_MS } from './tray';

const TAG = 'fieldbell-unsent';
/** Browsers end the worker some minutes after a press. The next push or start tries again. */
const PAUSES_SECONDS = [1, 2, 5, 10, 20, 40, 60];

interface Unsent extends NotificationData {
  answer?: string;
}

/** Shows that an answer was not sent yet, and tries to send it while the worker runs. */
export async function retryUnsent(
  worker: ServiceWorkerGlobalScope,
  receipt: Receipt,
): Promise<void> {
  if (!(await isReceiptQueued(receipt))) return;
  const answer = receipt.answer ?? '';
  await show(worker, `“${answer}” hasn’t been sent yet`, {
    body: 'We’ll keep trying to send it. Keep the app open if you can.',
    requireInteraction: true,
    data: { link: CHECK_IN_PAGE, at: Date.now(), answer } satisfies Unsent,
    vibrate: URGENT_VIBRATION_MS,
  });
  for (const seconds of PAUSES_SECONDS) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    if (await reportIfSent(worker)) return;
  }
}

/** Replaces the notification once everything is sent. Resolves with whether it is. */
export async function reportIfSent(worker: ServiceWorkerGlobalScope): Promise<boolean> {
  const [note] = await worker.registration.getNotifications({ tag: TAG });
  const { answer } = (note?.data ?? {}) as Unsent;
  if (answer === undefined) return true;
  if (!(await sendWaitingReceipts())) return false;
  await show(worker, `“${answer}” was sent`, {
    body: 'Your answer counts from the moment you pressed the button.',
    data: { link: CHECK_IN_PAGE, at: Date.now() } satisfies Unsent,
    silent: true,
  });
  return true;
}

type Options = NotificationOptions & { vibrate?: number[] };

/** Both notes have one tag, so the second replaces the first. */
const show = (worker: ServiceWorkerGlobalScope, title: string, options: Options): Promise<void> =>
  worker.registration.showNotification(title, {
    ...ownNotification(),
    tag: TAG,
    ...options,
  });
