/** Rights beyond the role. Stored, so the app can start before the server responds. */
import { signal } from '@preact/signals-react';
import { readStored, writeStored } from '../platform/storage/storage';
import type { ResponseOf } from '../shared/contract';
import { claims, isAdmin, onSessionEndOrPersonChange } from './session';

/**
 * The rights allow people to send, to read administrators' data, to check in, or to watch
 * check-ins.
 */
export type Right = 'send' | 'audit' | 'check-in' | 'watch';

const STORED = 'rights';
export const rights = signal<readonly Right[]>([]);

/** Auditors read administrators' screens, and change nothing there. */
export const mayChange = isAdmin;

onSessionEndOrPersonChange(() => {
  const person = claims.peek()?.id;
  if (person === undefined) writeStored(STORED, null);
  const [owner, ...storedRights] = (readStored(STORED) ?? '').split(' ');
  rights.value = owner === String(person) ? (storedRights as Right[]) : [];
});

function keep(now: readonly Right[]): void {
  if (now.join() === rights.peek().join()) return;
  writeStored(STORED, now.length > 0 ? [claims.peek()?.id, ...now].join(' ') : null);
  rights.value = now;
}

/** Applies the rights of a response, which omits rights that the person does not have. */
export function applyRights(
  response: Pick<ResponseOf<'GET /api/account'>, (typeof FIELDS)[number][0]>,
): void {
  keep(
    FIELDS.flatMap(([field, right]) =>
      response[field] && (right === 'check-in' || !isAdmin.peek()) ? right : [],
    ),
  );
}

const FIELDS = [
  ['maySend', 'send'],
  ['isAuditor', 'audit'],
  ['mayCheckIn', 'check-in'],
  ['watchesCheckIns', 'watch'],
] as const;

/** Removes a right that the server refused. The right may return with the next start. */
export const dropRight = (lostRight: Right): void =>
  keep(rights.peek().filter((right) => right !== lostRight));
