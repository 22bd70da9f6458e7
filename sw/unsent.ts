/** Says whether an answer was sent; until then, the worker keeps trying. */
import { readDeviceOwner } from '../src/platform/storage/received';
import { sendWaitingReceipts } from './report';
import { sharedNotificationOptions } from './notification';
import type { NotificationData } from './notification-data';
import { URGENT_VIBRATION_MS } from './tray';

const UNSENT_TAG = 'fieldbell-unsent';
/** Browsers end the worker some minutes after a press. The next push or start tries again. */
const RETRY_PAUSES_SECONDS = [1, 2, 5, 10, 20, 40, 60];
/** A push that comes just after an answer was sent leaves the note about it. */
const SENT_NOTE_MS = 10_000;

interface UnsentData extends NotificationData {
  answer?: string;
}

/** Shows that an answer was sent, or that it was not yet: then it tries while the worker runs. */
export async function followAnswer(
  worker: ServiceWorkerGlobalScope,
  answer: string,
  link: string | undefined,
  isSent: boolean,
): Promise<void> {
  if (isSent) return showAnswerSent(worker, answer, link);
  // The browser may wait for the note's icons; the answer must not.
  const showing = showAnswerUnsent(worker, answer, link).catch(() => {});
  for (const seconds of RETRY_PAUSES_SECONDS) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    if ((await sendWaitingReceipts()) || !(await readDeviceOwner())) break;
  }
  await showing;
  return reportIfSent(worker);
}

/** Replaces the note once everything is sent, and later closes it. */
export async function reportIfSent(worker: ServiceWorkerGlobalScope): Promise<void> {
  const [notification] = await worker.registration.getNotifications({ tag: UNSENT_TAG });
  const { answer, link, at = 0 } = (notification?.data ?? {}) as UnsentData;
  if (answer === undefined) {
    // The note belongs to an earlier question.
    if (Date.now() - at > SENT_NOTE_MS) notification?.close();
  } else
    await ((await sendWaitingReceipts()) ? showAnswerSent : showAnswerUnsent)(worker, answer, link);
}

/** Without a key that the server accepts, only the person’s sign-in sends the answer. */
const showAnswerUnsent = async (
  worker: ServiceWorkerGlobalScope,
  answer: string,
  link: string | undefined,
): Promise<void> =>
  showNotification(worker, `“${answer}” hasn’t been sent yet`, {
    body: (await readDeviceOwner())
      ? 'We’ll keep trying. Open the app and keep it open. Need help now? Call someone, too.'
      : 'Open the app and sign in. Need help now? Call someone, too.',
    requireInteraction: true,
    data: { link, at: Date.now(), answer } satisfies UnsentData,
    vibrate: URGENT_VIBRATION_MS,
  });

/** The page knows more, such as whether anyone could be alerted. */
const showAnswerSent = (
  worker: ServiceWorkerGlobalScope,
  answer: string,
  link: string | undefined,
): Promise<void> =>
  showNotification(worker, `“${answer}” was sent`, {
    body: 'Open the app for details.',
    data: { link, at: Date.now() } satisfies UnsentData,
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
