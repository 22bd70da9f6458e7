import { alertsSchema } from '../../src/shared/contract/publishing';
import type { Alerts } from '../../src/shared/contract/publishing';
import type { BodyReader } from '../http/body';
import { requireJson, validateBody } from '../http/body';
import { parseJson } from '../http/json';
import type { AddRoute } from '../http/route';
import { sendInTransaction } from '../messages/sending/send';
import { wakeWorkers } from '../messages/wake-workers';
import type { Services } from '../services';
import {
  consumeKeyBudget,
  recordKeyOverBudget,
  consumeKeyBudgetUpTo,
  keyBudgetExceededError,
} from '../http/access/key-budget';
import { readAlert } from './alert';
import { alertKey, acceptAlerts } from './accept-alerts';
import type { AlertReceiver } from './accept-alerts';

const RETRY_SECONDS = 60;
/** 500 alerts are some 500 KiB. */
const MAX_ALERT_BODY_BYTES = 1024 * 1024;
/** Further alerts arrive with the next repetition of the body. */
const MAX_ALERTS_PER_CALL = 1000;
/** These limits suffice for alerts with labels and values. */
const JSON_LIMITS = { depth: 8, values: 100_000 };

/** These bodies are nested and large, and are cut rather than rejected. */
export const alertsReader: BodyReader<Alerts> = {
  maxBytes: MAX_ALERT_BODY_BYTES,
  limits: JSON_LIMITS,
  read(bytes, contentType) {
    requireJson(contentType);
    const { alerts: rawAlerts }: { alerts?: unknown } = parseJson(bytes, JSON_LIMITS);
    const limitedAlerts: unknown = Array.isArray(rawAlerts)
      ? rawAlerts.slice(0, MAX_ALERTS_PER_CALL)
      : rawAlerts;
    const alertBatch = validateBody(alertsSchema, {
      ...(limitedAlerts !== undefined && { alerts: limitedAlerts }),
    });
    const truncatedAlerts = Array.isArray(rawAlerts)
      ? rawAlerts.length - alertBatch.alerts.length
      : 0;
    return { ...alertBatch, truncatedAlerts };
  },
};

export function addIncomingAlertRoutes(add: AddRoute, services: Services): void {
  const { db, log, now } = services;
  for (const endpoint of ['POST /api/hooks/alertmanager', 'POST /api/hooks/grafana'] as const)
    add(endpoint, {
      action: 'messages.publish',
      status: 202,
      // Alertmanager retries soon only after a 5xx.
      rateLimitStatus: 503,
      reader: alertsReader,
      respond: async ({
        body: { alerts: alertList, truncatedAlerts = 0 },
        bytes,
        key,
        transact,
      }) => {
        const { id, name, topicId } = key;
        const messages = alertList.map(readAlert);
        const quotaCost = { kibibytes: Math.ceil(bytes / 1024) };
        await consumeKeyBudget(key, quotaCost, 503, () => messages.map(alertKey), db, now());
        if (truncatedAlerts > 0)
          log.warn('too many alerts, dropping the rest', {
            key: id,
            alerts: alertList.length + truncatedAlerts,
          });
        const receiver: AlertReceiver = {
          topicId,
          transact,
          allow: (requested) => consumeKeyBudgetUpTo(id, requested, db, now()),
          wakeWorkers: () => wakeWorkers(services),
          async sendAlert({ title = '', message, link = '', priority }, transaction, at) {
            const text = { title, message, link, priority };
            const author = { senderId: null, key: { id, name }, idempotencyKey: undefined };
            const sentMessage = await sendInTransaction(
              { to: { topicId }, ...text, ...author },
              transaction,
              at,
            );
            return sentMessage.messageId;
          },
        };
        const { rateLimited, ...counts } = await acceptAlerts(messages, receiver, services);
        if (rateLimited.length + truncatedAlerts > 0)
          await recordKeyOverBudget(key, rateLimited.map(alertKey), truncatedAlerts, db, now());
        // Alertmanager then sends all alerts again, and the server accepts the rest.
        if (rateLimited.length > 0) throw keyBudgetExceededError(503, RETRY_SECONDS);
        return counts;
      },
    });
}
