import * as v from 'valibot';
import { AUDIT_AREAS } from '../audit-actions';
import {
  countSchema,
  withDescription,
  idSchema,
  pageFields,
  pagingFields,
  withExamples,
  searchField,
  sampleText,
  timestampSchema,
  uuidSchema,
} from './common';
import type { CallTable } from './common';

export const auditEntrySchema = v.object({
  id: withExamples(idSchema, 1204),
  at: timestampSchema,
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
      v.object({
        id: uuidSchema,
        title: sampleText('Storm warnings'),
        text: sampleText('Stop all work on poles.'),
      }),
      'The message that was sent or changed. Absent if there is none, or if it was deleted.',
    ),
  ),
});
export const auditPageSchema = v.object({
  entries: v.array(auditEntrySchema),
  searched: v.exactOptional(
    withDescription(
      countSchema,
      'How many of the newest entries the search included. Absent if it included all entries.',
    ),
  ),
  keptDays: withDescription(countSchema, 'After how many days an entry is deleted.', 365),
  ...pageFields,
});

export type AuditEntry = v.InferOutput<typeof auditEntrySchema>;
export type AuditPage = v.InferOutput<typeof auditPageSchema>;

const SEARCH_TEXT =
  'Words to search for in all columns. An entry must contain all of them, in any order.';
export const AUDIT_PERIODS = [1, 7, 30] as const;
const filters = {
  area: withDescription(v.picklist(AUDIT_AREAS), 'Only entries about this area.', 'messages'),
  days: withDescription(v.picklist(AUDIT_PERIODS), 'Only entries of the last 1, 7 or 30 days.', 7),
  actions: withDescription(
    sampleText('user.role,user.auditor'),
    'Codes of actions, separated by commas. A search with `query` also finds all entries with these actions. Use this in apps that translate the names of actions.',
  ),
};
const errors = { 400: '`area` or `days` has an invalid value.' };

export const auditCalls = {
  'GET /api/admin/audit': {
    does: 'List the audit log',
    more: 'Newest first. Entries cannot be changed. They are deleted after `keptDays` days.',
    query: { ...pagingFields(SEARCH_TEXT), ...filters },
    response: auditPageSchema,
    errors,
  },
  'GET /api/admin/audit.csv': {
    does: 'Download the audit log',
    more: 'A CSV file as defined in RFC 4180. Cells that a spreadsheet would treat as formulas start with an apostrophe. Each download is recorded in the audit log.',
    query: { query: searchField(SEARCH_TEXT), ...filters },
    responseType: 'text/csv',
    response: sampleText(
      'at,actor,action,target,detail,network\r\n2026-11-20T09:12:00.000Z,ada.lindqvist,user.role,m.okafor,Technician to Admin,203.0.113.0/24\r\n',
    ),
    errors,
  },
} satisfies CallTable;
