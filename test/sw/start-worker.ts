/** The worker of a device, with a server that collects its receipts. */
import { buildPushMessage } from '../../src/shared/push-message';
import { listenToWorkerEvents } from '../../sw/listen';
import { type FakeWindow, createFakeWorker } from './fake-worker';

export function startTestWorker(...windows: FakeWindow[]) {
  const fakeWorker = createFakeWorker(...windows);
  listenToWorkerEvents(fakeWorker.worker, '1.2.3');
  return {
    ...fakeWorker,
    push: (messageId: string, more: object = {}) =>
      fakeWorker.fire('push', { data: { json: () => createPush(messageId, more) } }),
    async press(messageId: string, action = '') {
      const shownNotification = fakeWorker.shown.find(({ options }) => options.tag === messageId);
      const notification = {
        close: () => closed.push(messageId),
        data: shownNotification?.options.data as unknown,
      };
      const closed: string[] = [];
      await fakeWorker.fire('notificationclick', { action, notification });
      return closed;
    },
  };
}

const createPush = (messageId: string, more: object) =>
  buildPushMessage({
    title: 'Outages',
    body: 'Feeder 12 tripped.',
    topicId: '7',
    messageId,
    link: `/messages/${messageId}`,
    sentAt: '2026-11-21T09:30:00.000Z',
    priority: 'normal',
    answers: '["Got it","On my way","Cannot"]',
    url: '',
    expiresAt: '2026-11-22T09:30:00.000Z',
    seq: messageId.replace(/\D/g, '') || '1',
    unread: '1',
    round: '0',
    ...more,
  });
