/** The worker of a device, with a server that collects its receipts. */
import { buildPushMessage } from '../../src/shared/push-message';
import { listenToWorkerEvents } from '../../sw/listen';
import { type FakeWindow, makeFakeWorker } from './fake-worker';

export function startWorker(...windows: FakeWindow[]) {
  const world = makeFakeWorker(...windows);
  listenToWorkerEvents(world.worker, '1.2.3');
  return {
    ...world,
    push: (messageId: string, more: object = {}) =>
      world.fire('push', { data: { json: () => makePush(messageId, more) } }),
    async press(messageId: string, action = '') {
      const one = world.shown.find(({ options }) => options.tag === messageId);
      const notification = {
        close: () => closed.push(messageId),
        data: one?.options.data as unknown,
      };
      const closed: string[] = [];
      await world.fire('notificationclick', { action, notification });
      return closed;
    },
  };
}

const makePush = (messageId: string, more: object) =>
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
