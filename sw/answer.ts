import type { Receipt } from '../src/shared/contract';
import { CHECK_IN_PAGE, closeReminders } from '../src/shared/check-in-page';
import { openPage } from './open-page';
import type { NotificationData } from './notification-data';
import { reportFromWorker, sendWaitingReceipts } from './report';
import { followAnswer } from './unsent';
import { postToWindows } from './windows';

/**
 * A button answers without opening anything; elsewhere a press opens the message. If an answer can
 * be neither stored nor sent, the message opens so that the person can answer there.
 */
export async function handleNotificationPress(
  worker: ServiceWorkerGlobalScope,
  { action, notification }: Pick<NotificationEvent, 'action' | 'notification'>,
): Promise<void> {
  const { link, id, answers = [], revision } = (notification.data ?? {}) as NotificationData;
  const answer = action ? answers[Number(action)] : undefined;
  const close = () => notification.close();
  if (id === undefined || answer === undefined) {
    close();
    // The page opens first: browsers allow a window only right after the press.
    const opening = openPage(worker, link);
    // The test's page, which now opens, asks for waiting receipts.
    await (id === undefined
      ? sendWaitingReceipts()
      : reportPress(worker, { messageId: id, kind: 'read', ...(revision && { revision }) }));
    return opening;
  }
  const press = `${id} ${action}`;
  if (press === pressInProgress) return;
  pressInProgress = press;
  // The person may have answered before, here or elsewhere.
  const canReplaceAnswer = true;
  const receipt: Receipt = {
    messageId: id,
    kind: 'acknowledged',
    ...(revision && { revision }),
    answer,
    changes: canReplaceAnswer,
  };
  // The notification closes once the answer is stored: before, the person can press again.
  const isSent = await reportPress(worker, receipt, close).finally(() => {
    pressInProgress = '';
  });
  if (isSent === undefined) {
    close();
    return openPage(worker, link);
  }
  if (link === CHECK_IN_PAGE) await closeReminders(worker.registration);
  // Only urgent messages stay on the screen.
  else if (isSent || !notification.requireInteraction) return;
  return followAnswer(worker, answer, link, isSent);
}

/** A double tap counts once: the notification stays until the first tap's answer is stored. */
let pressInProgress = '';

/** Tells open windows once it is stored, and once it is sent. Resolves as `reportFromWorker`. */
async function reportPress(
  worker: ServiceWorkerGlobalScope,
  receipt: Receipt,
  onStored = () => {},
): Promise<boolean | undefined> {
  let reportToPages = async (): Promise<void> => {};
  let firstReport: Promise<void> | undefined;
  const isSent = await reportFromWorker(receipt, undefined, (person, isKept) => {
    onStored();
    reportToPages = () => postToWindows(worker, { type: 'pressed', person, receipt });
    if (isKept) firstReport = reportToPages();
  });
  await firstReport;
  if (isSent !== undefined) await reportToPages();
  return isSent;
}
