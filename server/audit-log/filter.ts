/** Which entries of the audit log are asked for. */
import { AUDIT_ACTIONS, AUDIT_AREAS, listAuditActions } from '../../src/shared/audit-actions';
import type { AuditAction } from '../../src/shared/audit-actions';
import { AUDIT_PERIODS } from '../../src/shared/contract/audit';
import { readOption, readSearchWords } from '../http/paging';
import { DAY_MS } from '../lib/durations';

export interface AuditFilter {
  words: readonly string[];
  /** The actions to list, undefined for all actions. */
  actions?: readonly AuditAction[] | undefined;
  /** The entries of these actions match the words, whatever the entries contain. */
  matching?: readonly AuditAction[];
  /** Milliseconds since 1970. */
  since: number;
}

export const ALL_ENTRIES: AuditFilter = { words: [], since: 0 };

/** Unknown codes, from an older app, are ignored. */
function readActions(query: URLSearchParams): AuditAction[] {
  const codes = new Set(query.get('actions')?.split(','));
  return (Object.keys(AUDIT_ACTIONS) as AuditAction[]).filter((action) => codes.has(action));
}

/** @throws HttpError 400 */
export function readAuditFilter(query: URLSearchParams, now: number): AuditFilter {
  const area = readOption('area', AUDIT_AREAS, query);
  const days = readOption('days', AUDIT_PERIODS, query);
  return {
    words: readSearchWords(query),
    actions: area && listAuditActions(area),
    matching: readActions(query),
    since: days === undefined ? 0 : now - days * DAY_MS,
  };
}

export const isUnfiltered = ({ words, actions, since }: AuditFilter): boolean =>
  words.length === 0 && actions === undefined && since === 0;
