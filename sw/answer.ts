import type { Receipt } from '../src/shared/contract';
import { openPage } from './open';
import type { Remembered } from './remembered';
import { reportFromWorker, sendWaitingReceipts } from './report';
import { tell } from './windows';

/**
 * What a press on a notification does: one of its buttons answers without opening anything, and a
 * press beside them opens the message, and has read it. An answer that can be neither kept nor told
 * opens the message, too, where it can be given again.
 */
export async function answerPress(
  worker: ServiceWorkerGlobalScope,
  { action, notification }: Pick<NotificationEvent, 'action' | 'notification'>,
): Promise<void> {
  const { link, id, answers = [] } = (notification.data ?? {}) as Remembered;
  const chosen = action ? answers[Number(action)] : undefined;
  const close = () => notification.close();
  if (id === undefined || chosen === undefined) {
    close();
    // Opened first: a window may only be opened while the press is fresh.
    const opening = openPage(worker, link);
    // What waits to be told of a test is what its page, which opens now, asks for.
    await (id === undefined
      ? sendWaitingReceipts()
      : reportPress(worker, { messageId: id, kind: 'read' }));
    return opening;
  }
  const receipt: Receipt = { messageId: id, kind: 'acknowledged', answer: chosen };
  // Gone when it is kept: a worker that is ended before that leaves it there, to be pressed again.
  if (await reportPress(worker, receipt, close)) return;
  close();
  await openPage(worker, link);
}

/**
 * Reports a press. Open windows are told once it is kept, when they show it as waiting, and again
 * once the server was told. Resolves with whether it was kept or told.
 */
async function reportPress(
  worker: ServiceWorkerGlobalScope,
  receipt: Receipt,
  noted = () => {},
): Promise<boolean> {
  let tellPages = async (): Promise<void> => {};
  let first: Promise<void> | undefined;
  const done = await reportFromWorker(receipt, undefined, (person, isKept) => {
    noted();
    tellPages = () => tell(worker, { type: 'pressed', person, receipt });
    if (isKept) first = tellPages();
  });
  await first;
  if (done) await tellPages();
  return done;
}
