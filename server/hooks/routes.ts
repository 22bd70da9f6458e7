import type { AddRoute } from '../http/route';
import { sendWithin } from '../messages/sending/send';
import { wakeAll } from '../messages/wake';
import type { Services } from '../services';
import { demandBudget, noteHeldBack, takeBudget, usedUp } from '../topics/key-budget';
import { readAlert } from './alert';
import { alertsReader } from './fields';
import { keyOf, takeAlerts } from './take';
import type { AlertReceiver } from './take';

const RETRY_SECONDS = 60;

export function addHookRoutes(add: AddRoute, services: Services): void {
  const { db, log, now } = services;
  for (const endpoint of ['POST /api/hooks/alertmanager', 'POST /api/hooks/grafana'] as const)
    add(endpoint, {
      action: 'messages.publish',
      status: 202,
      // Alertmanager retries soon only after a 5xx.
      tooOften: 503,
      reader: alertsReader,
      answer: async ({ body: { alerts, truncatedAlerts = 0 }, bytes, key, transact }) => {
        const { id, name, topicId } = key;
        const all = alerts.map(readAlert);
        const spent = { kibibytes: Math.ceil(bytes / 1024) };
        await demandBudget(key, spent, 503, () => all.map(keyOf), db, now());
        if (truncatedAlerts > 0)
          log.warn('a body of alerts was cut', {
            key: id,
            alerts: alerts.length + truncatedAlerts,
          });
        const receiver: AlertReceiver = {
          topicId,
          transact,
          allow: (wanted) => takeBudget(id, wanted, db, now()),
          wake: () => wakeAll(services),
          async ring({ title = '', message, link = '', priority }, transaction, at) {
            const text = { title, message, link, priority };
            const by = { senderId: null, key: { id, name }, idempotencyKey: undefined };
            const sent = await sendWithin({ to: { topicId }, ...text, ...by }, transaction, at);
            return sent.messageId;
          },
        };
        const { heldBack, ...taken } = await takeAlerts(all, receiver, services);
        if (heldBack.length + truncatedAlerts > 0)
          await noteHeldBack(key, heldBack.map(keyOf), truncatedAlerts, db, now());
        // Alertmanager then sends all of them again, and the rest is accepted.
        if (heldBack.length > 0) throw usedUp(503, RETRY_SECONDS);
        return taken;
      },
    });
}
