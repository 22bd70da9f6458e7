/** Rights beyond the role. Stored, so the app can start before the server responds. */
import { signal } from '@preact/signals-react';
import { readStored, writeStored } from '../platform/storage/storage';
import type { ResponseOf } from '../shared/contract';
import { sessionClaims, isAdmin, onSessionEndOrPersonChange } from './session';

/**
 * The rights allow people to send, to read administrators' data, to check in, or to watch
 * check-ins.
 */
export type Right = 'send' | 'audit' | 'check-in' | 'watch';

const RIGHTS_STORAGE_KEY = 'rights';
export const ownRights = signal<readonly Right[]>([]);

/** Auditors read administrators' screens, and change nothing there. */
export const mayChange = isAdmin;

onSessionEndOrPersonChange(() => {
  const person = sessionClaims.peek()?.id;
  if (person === undefined) writeStored(RIGHTS_STORAGE_KEY, null);
  const [owner, ...storedRights] = (readStored(RIGHTS_STORAGE_KEY) ?? '').split(' ');
  ownRights.value = owner === String(person) ? (storedRights as Right[]) : [];
});

function storeRights(currentRights: readonly Right[]): void {
  if (currentRights.join() === ownRights.peek().join()) return;
  writeStored(
    RIGHTS_STORAGE_KEY,
    currentRights.length > 0 ? [sessionClaims.peek()?.id, ...currentRights].join(' ') : null,
  );
  ownRights.value = currentRights;
}

/** Applies the rights of a response, which omits rights that the person does not have. */
export function applyRights(
  response: Pick<ResponseOf<'GET /api/account'>, (typeof RIGHT_FIELDS)[number][0]>,
): void {
  storeRights(
    RIGHT_FIELDS.flatMap(([field, right]) =>
      response[field] && (right === 'check-in' || !isAdmin.peek()) ? right : [],
    ),
  );
}

const RIGHT_FIELDS = [
  ['maySend', 'send'],
  ['isAuditor', 'audit'],
  ['mayCheckIn', 'check-in'],
  ['watchesCheckIns', 'watch'],
] as const;

/** Removes a right that the server refused. The right may return with the next start. */
export const dropRight = (lostRight: Right): void =>
  storeRights(ownRights.peek().filter((right) => right !== lostRight));
