import type { AddRoute } from '../http/route';
import { sendWithin } from '../messages/sending/send';
import { wakeAll } from '../messages/wake';
import type { Services } from '../services';
import { readAlert } from './alert';
import { alertsReader } from './fields';
import { takeAlerts } from './take';
import type { Receiver } from './take';

export function addHookRoutes(add: AddRoute, services: Services): void {
  const { log } = services;
  for (const endpoint of ['POST /api/hooks/alertmanager', 'POST /api/hooks/grafana'] as const)
    add(endpoint, {
      access: 'key',
      status: 202,
      // Alertmanager tries again soon after a 5xx alone; after all else only with its next group.
      tooOften: 503,
      reader: alertsReader,
      answer: ({ body: { alerts, truncatedAlerts = 0 }, key, transact }) => {
        const { id, name, topicId } = key;
        if (truncatedAlerts > 0)
          log.warn('a body of alerts was cut', {
            key: id,
            alerts: alerts.length + truncatedAlerts,
          });
        const receiver: Receiver = {
          topicId,
          transact,
          wake: () => wakeAll(services),
          async ring({ title = '', message, link = '', priority }, transaction, now) {
            const text = { title, message, link, priority };
            const by = { senderId: null, key: { id, name }, idempotencyKey: undefined };
            const sent = await sendWithin({ to: { topicId }, ...text, ...by }, transaction, now);
            return sent.messageId;
          },
        };
        return takeAlerts(alerts.map(readAlert), receiver, services);
      },
    });
}
