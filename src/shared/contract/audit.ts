import * as v from 'valibot';
import { count, described, id, page, paging, sample, search, text, time } from './common';
import type { CallTable } from './common';

export const auditEntry = v.object({
  id: sample(id, 1204),
  at: time,
  actor: described(
    v.string(),
    'A username, `deleted user 17`, `key: NAME`, `command line`, `unknown` where a sign-in failed, or `Fieldbell`.',
    'ada.lindqvist',
  ),
  action: described(
    v.string(),
    'Dotted, such as `user.role`. Later versions may add more.',
    'user.role',
  ),
  target: described(v.string(), 'Who or what it was done to. May be empty.', 'm.okafor'),
  detail: described(v.string(), 'May be empty.', 'Technician to Admin'),
  network: v.nullable(
    described(
      v.string(),
      'The /24 of an IPv4 address or the /48 of an IPv6 address.',
      '203.0.113.0/24',
    ),
  ),
});
export const auditPage = v.object({
  entries: v.array(auditEntry),
  searched: v.exactOptional(
    described(count, 'Only so many, the newest, were looked through. Left out where all were.'),
  ),
  keptDays: described(count, 'For how many days an entry is kept.', 365),
  ...page,
});

export type AuditEntry = v.InferOutput<typeof auditEntry>;
export type AuditPage = v.InferOutput<typeof auditPage>;

const WHERE = 'in all columns, every word of it in any order';

export const auditCalls = {
  'GET /api/admin/audit': {
    does: 'List the audit log',
    more: 'The newest first. Nothing changes or removes an entry before its time is over.',
    query: paging(WHERE),
    answer: auditPage,
  },
  'GET /api/admin/audit.csv': {
    does: 'Download the audit log',
    more: 'RFC 4180. A cell that a spreadsheet would calculate begins with an apostrophe. That it was downloaded is an entry itself.',
    query: { query: search(WHERE) },
    answerType: 'text/csv',
    answer: text(
      'at,actor,action,target,detail,network\r\n2026-11-20T09:12:00.000Z,ada.lindqvist,user.role,m.okafor,Technician to Admin,203.0.113.0/24\r\n',
    ),
  },
} satisfies CallTable;
