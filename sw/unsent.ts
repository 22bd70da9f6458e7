/** Says whether an answer to “Are you OK?” was sent; until then, the worker keeps trying. */
import { isReceiptQueued, sendWaitingReceipts } from './report';
import type { Receipt } from '../src/shared/contract';
import { CHECK_IN_PAGE } from '../src/shared/check-in-page';
import { sharedNotificationOptions } from './notification';
import type { NotificationData } from './notification-data';
import { URGENT_VIBRATION_MS } from './tray';

const UNSENT_TAG = 'fieldbell-unsent';
/** Browsers end the worker some minutes after a press. The next push or start tries again. */
const RETRY_PAUSES_SECONDS = [1, 2, 5, 10, 20, 40, 60];

interface UnsentData extends NotificationData {
  answer?: string;
}

/** Shows that an answer was sent, or that it was not yet: then it tries while the worker runs. */
export async function followAnswer(
  worker: ServiceWorkerGlobalScope,
  receipt: Receipt,
): Promise<void> {
  const answer = receipt.answer ?? '';
  if (!(await isReceiptQueued(receipt))) return showAnswerSent(worker, answer);
  await showNotification(worker, `“${answer}” hasn’t been sent yet`, {
    body: 'We’ll keep trying. Open the app and keep it open. Need help now? Call someone, too.',
    requireInteraction: true,
    data: { link: CHECK_IN_PAGE, at: Date.now(), answer } satisfies UnsentData,
    vibrate: URGENT_VIBRATION_MS,
  });
  for (const seconds of RETRY_PAUSES_SECONDS) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    if (await reportIfSent(worker)) return;
  }
}

/** Replaces the notification once everything is sent. Resolves with whether it is. */
export async function reportIfSent(worker: ServiceWorkerGlobalScope): Promise<boolean> {
  const [notification] = await worker.registration.getNotifications({ tag: UNSENT_TAG });
  const { answer } = (notification?.data ?? {}) as UnsentData;
  if (answer === undefined) {
    // The note belongs to an earlier question.
    notification?.close();
    return true;
  }
  if (!(await sendWaitingReceipts())) return false;
  await showAnswerSent(worker, answer);
  return true;
}

/** The page knows more, such as whether anyone could be alerted. */
const showAnswerSent = (worker: ServiceWorkerGlobalScope, answer: string): Promise<void> =>
  showNotification(worker, `“${answer}” was sent`, {
    body: 'Open the app for details.',
    data: { link: CHECK_IN_PAGE } satisfies UnsentData,
    silent: true,
  });

type Options = NotificationOptions & { vibrate?: number[] };

/** Both notes have one tag, so the second replaces the first. */
const showNotification = (
  worker: ServiceWorkerGlobalScope,
  title: string,
  options: Options,
): Promise<void> =>
  worker.registration.showNotification(title, {
    ...sharedNotificationOptions(),
    tag: UNSENT_TAG,
    ...options,
  });
