/** A topic with a key, and alerts sent to it. */
import type { ResponseOf, InboxMessage, SentMessage } from '../../../src/shared/contract';
import type { Person, TestServer } from '../server/server';
import { createEscalationHelpers } from '../server/escalation';

type Hook = 'POST /api/hooks/alertmanager' | 'POST /api/hooks/grafana';
const ALERTMANAGER_CALL = 'POST /api/hooks/alertmanager';

export const STARTS_AT = '2026-11-20T14:02:00.123456789Z';

/** An alert that continues, in Alertmanager's form. */
export const firingAlert = (fingerprint: string, change: object = {}): object => ({
  status: 'firing',
  labels: { alertname: 'PumpDown', instance: fingerprint, severity: 'critical' },
  annotations: { summary: `Pump ${fingerprint} is down` },
  startsAt: STARTS_AT,
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
  fingerprint,
  ...change,
});

export const resolvedAlert = (fingerprint: string, change: object = {}): object =>
  firingAlert(fingerprint, { status: 'resolved', endsAt: '2026-11-20T14:30:00Z', ...change });

/** A call as Alertmanager documents it (webhook, version 4). */
export const createAlertsBody = (...alerts: object[]): object => ({
  version: '4',
  groupKey: '{}:{alertname="PumpDown"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'fieldbell',
  groupLabels: { alertname: 'PumpDown' },
  commonLabels: { alertname: 'PumpDown', severity: 'critical' },
  commonAnnotations: {},
  externalURL: 'http://alertmanager:9093',
  alerts,
});

/** @param server the server of the running test */
export function createAlertHelpers(server: TestServer) {
  const escalation = createEscalationHelpers(server);
  async function post(
    key: string,
    body: string | Uint8Array<ArrayBuffer>,
    hook: Hook = ALERTMANAGER_CALL,
    type = 'application/json',
  ): Promise<{ status: number; body: ResponseOf<Hook>; error: unknown; headers: Headers }> {
    const response = await server.request(hook.replace('POST ', ''), {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
      body,
    });
    const received = (await response.json()) as ResponseOf<Hook> & { error: unknown };
    const { status, headers } = response;
    return { status, body: received, error: received.error, headers };
  }
  return {
    ...escalation,
    post,
    async createKey(topicId: number, name = 'Prometheus'): Promise<string> {
      const { body } = await server.call('POST /api/admin/topics/:id/keys', {
        as: await escalation.asAdmin(),
        params: { id: topicId },
        body: { name },
      });
      return body.key;
    },
    async sendAlerts(key: string, ...alerts: object[]): Promise<ResponseOf<Hook>> {
      return (await post(key, JSON.stringify(createAlertsBody(...alerts)))).body;
    },
    /** Newest first. */
    async readSent(): Promise<SentMessage[]> {
      const { body } = await server.call('GET /api/admin/messages', {
        as: await escalation.asAdmin(),
        query: { limit: 100 },
      });
      return body.messages;
    },
    async readInbox(person: Person): Promise<InboxMessage[]> {
      const { body } = await server.call('GET /api/notifications/messages', {
        as: person,
        query: { limit: 100 },
      });
      return body.messages;
    },
    readAlerts: () =>
      server.services.db
        .selectFrom('alerts')
        .selectAll()
        .orderBy('fingerprint')
        .orderBy('starts_at')
        .execute(),
  };
}
