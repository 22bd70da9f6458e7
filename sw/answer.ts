import type { Receipt } from '../src/shared/contract';
import { open } from './open';
import type { Remembered } from './remembered';
import { report, sendReceipts } from './report';

/**
 * What a press on a notification does: one of its buttons answers without opening anything, and a
 * press beside them opens the message, and has read it. An answer that can be neither kept nor told
 * opens the message, too, where it can be given again.
 */
export async function answer(
  worker: ServiceWorkerGlobalScope,
  { action, notification }: Pick<NotificationEvent, 'action' | 'notification'>,
): Promise<void> {
  const { link, id, answers = [] } = (notification.data ?? {}) as Remembered;
  const chosen = action ? answers[Number(action)] : undefined;
  const close = () => notification.close();
  if (id === undefined || chosen === undefined) {
    close();
    // Opened first: a window may only be opened while the press is fresh.
    const opening = open(worker, link);
    // What waits to be told of a test is what its page, which opens now, asks for.
    await (id === undefined ? sendReceipts() : report({ messageId: id, kind: 'read' }));
    return opening;
  }
  const receipt: Receipt = { messageId: id, kind: 'acknowledged', answer: chosen };
  // Gone when it is kept: a worker that is ended before that leaves it there, to be pressed again.
  if (await report(receipt, undefined, close)) return;
  close();
  await open(worker, link);
}
