import type { AddRoute } from '../http/route';
import { sendWithin } from '../messages/sending/send';
import { wakeAll } from '../messages/wake';
import type { Services } from '../services';
import { readAlert } from './alert';
import { alertsReader } from './fields';
import { takeAlerts } from './take';
import type { Receiver } from './take';

/** What is beyond rings when it comes again and there is room: all that goes on is repeated. */
const MOST_ALERTS = 1000;

export function addHookRoutes(add: AddRoute, services: Services): void {
  const { log } = services;
  for (const endpoint of ['POST /api/hooks/alertmanager', 'POST /api/hooks/grafana'] as const)
    add(endpoint, {
      access: 'key',
      status: 202,
      // Alertmanager tries again soon after a 5xx alone; after all else only with its next group.
      tooOften: 503,
      reader: alertsReader,
      answer: ({ body: { alerts }, key, transact }) => {
        const { id, name, topicId } = key;
        if (alerts.length > MOST_ALERTS)
          log.warn('a body of alerts was cut', { key: id, alerts: alerts.length });
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
        return takeAlerts(alerts.slice(0, MOST_ALERTS).map(readAlert), receiver, services);
      },
    });
}
