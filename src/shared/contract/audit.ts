import * as v from 'valibot';
import { AUDIT_AREAS } from '../audit-actions';
import {
  count,
  withDescription,
  id,
  page,
  paging,
  sample,
  search,
  text,
  time,
  uuid,
} from './common';
import type { CallTable } from './common';

export const auditEntry = v.object({
  id: sample(id, 1204),
  at: time,
  actor: withDescription(
    v.string(),
    'Who did it: a username, `deleted user 17`, `key: NAME` (a topic key), `command line`, `unknown` (failed sign-in), or `Fieldbell`.',
    'ada.lindqvist',
  ),
  action: withDescription(
    v.string(),
    'The code of the action, such as `user.role`. Later versions may add more codes.',
    'user.role',
  ),
  target: withDescription(v.string(), 'Who or what the action affected. May be empty.', 'm.okafor'),
  detail: withDescription(
    v.string(),
    'What changed, such as the old and the new role. May be empty.',
    'Technician to Admin',
  ),
  network: v.nullable(
    withDescription(
      v.string(),
      'Where the request came from: the /24 block of an IPv4 address, or the /48 block of an IPv6 address.',
      '203.0.113.0/24',
    ),
  ),
  message: v.exactOptional(
    withDescription(
      v.object({ id: uuid, title: text('Storm warnings'), text: text('Stop all work on poles.') }),
      'The message that was sent or changed. Absent if there is none, or if it was deleted.',
    ),
  ),
});
export const auditPage = v.object({
  entries: v.array(auditEntry),
  searched: v.exactOptional(
    withDescription(
      count,
      'How many of the newest entries the search included. Absent if it included all entries.',
    ),
  ),
  keptDays: withDescription(count, 'After how many days an entry is deleted.', 365),
  ...page,
});

export type AuditEntry = v.InferOutput<typeof auditEntry>;
export type AuditPage = v.InferOutput<typeof auditPage>;

const SEARCH_TEXT =
  'Words to search for in all columns. An entry must contain all of them, in any order.';
export const AUDIT_PERIODS = [1, 7, 30] as const;
const filters = {
  area: withDescription(v.picklist(AUDIT_AREAS), 'Only entries about this area.', 'messages'),
  days: withDescription(v.picklist(AUDIT_PERIODS), 'Only entries of the last 1, 7 or 30 days.', 7),
  actions: withDescription(
    text('user.role,user.auditor'),
    'Codes of actions, separated by commas. A search with `query` also finds all entries with these actions. Use this in apps that translate the names of actions.',
  ),
};
const errors = { 400: '`area` or `days` has an invalid value.' };

export const auditCalls = {
  'GET /api/admin/audit': {
    does: 'List the audit log',
    more: 'Newest first. Entries cannot be changed. They are deleted after `keptDays` days.',
    query: { ...paging(SEARCH_TEXT), ...filters },
    response: auditPage,
    errors,
  },
  'GET /api/admin/audit.csv': {
    does: 'Download the audit log',
    more: 'A CSV file as defined in RFC 4180. Cells that a spreadsheet would treat as formulas start with an apostrophe. Each download is recorded in the audit log.',
    query: { query: search(SEARCH_TEXT), ...filters },
    responseType: 'text/csv',
    response: text(
      'at,actor,action,target,detail,network\r\n2026-11-20T09:12:00.000Z,ada.lindqvist,user.role,m.okafor,Technician to Admin,203.0.113.0/24\r\n',
    ),
    errors,
  },
} satisfies CallTable;
