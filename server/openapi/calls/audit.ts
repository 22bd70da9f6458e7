/** The audit log. */
import * as v from 'valibot';
import type { AuditCalls, AuditEntry } from '../../../src/shared/contract';
import type { Area } from '../call';
import { paging, search } from '../parameters';
import { admin, technician } from '../samples';
import { auditEntry } from '../shapes/audit';
import { count, page } from '../shapes/common';

const entry: AuditEntry = {
  id: 1204,
  at: '2026-11-20T09:12:00.000Z',
  actor: admin.username,
  action: 'user.role',
  target: technician.username,
  detail: 'Technician to Admin',
  network: '203.0.113.0/24',
};
const WHERE = 'in all columns, every word of it in any order';

export const auditCalls = {
  'GET /api/admin/audit': {
    does: 'List the audit log',
    more: 'The newest first. Nothing changes or removes an entry before its time is over.',
    query: paging(WHERE),
    shape: v.object({
      entries: v.array(auditEntry),
      searched: v.exactOptional(
        v.pipe(
          count,
          v.description('Only so many, the newest, were looked through. Left out where all were.'),
        ),
      ),
      keptDays: v.pipe(count, v.description('For how many days an entry is kept.')),
      ...page,
    }),
    answer: { entries: [entry], keptDays: 365, total: 1204, page: 1, limit: 10 },
  },
  'GET /api/admin/audit.csv': {
    does: 'Download the audit log',
    more: 'RFC 4180. A cell that a spreadsheet would calculate begins with an apostrophe. That it was downloaded is an entry itself.',
    query: { query: search(WHERE) },
    answerType: 'text/csv',
    shape: v.string(),
    answer:
      'at,actor,action,target,detail,network\r\n2026-11-20T09:12:00.000Z,ada.lindqvist,user.role,m.okafor,Technician to Admin,203.0.113.0/24\r\n',
  },
} satisfies Area<AuditCalls>;
