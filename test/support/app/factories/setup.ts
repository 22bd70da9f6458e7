import type { ResponseOf, AuditEntry, Policy, Webhook } from '../../../../src/shared/contract';

/** Notifies again, mails, notifies the control room: as the designs show. */
export const createPolicy = (id: number, change: Partial<Policy> = {}): Policy => ({
  id,
  name: `Policy ${id}`,
  quorum: null,
  steps: [
    { after: 120, action: 'repeat' },
    { after: 600, action: 'mail' },
    { after: 1200, action: 'notify', topicId: 5 },
  ],
  topics: 1,
  ...change,
});

export const createWebhook = (id: number, change: Partial<Webhook> = {}): Webhook => ({
  id,
  url: `https://hooks.example/${id}`,
  events: ['message.sent', 'message.acknowledged'],
  lastStatus: 200,
  lastAt: '2026-11-20T14:02:00.000Z',
  failingSince: null,
  offSince: null,
  ...change,
});

export const createEntry = (id: number, change: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: '2026-11-20T09:12:00.000Z',
  actor: 'ada.lindqvist',
  action: 'user.role',
  target: 'lead.north',
  detail: 'Technician to Admin',
  network: '203.0.113.0/24',
  ...change,
});

export function auditPages(
  entries: readonly AuditEntry[],
  keptDays = 365,
): (request: { query: Record<string, string> }) => ResponseOf<'GET /api/admin/audit'> {
  return ({ query }) => {
    const [page, limit] = [Number(query.page), Number(query.limit)];
    const shown = entries.slice((page - 1) * limit, page * limit);
    return { entries: shown, total: entries.length, page, limit, keptDays };
  };
}
