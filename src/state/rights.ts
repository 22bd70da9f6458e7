/** What a person may do beside their role. Kept on the device, so that a start needs no response. */
import { signal } from '@preact/signals-react';
import { readStored, writeStored } from '../platform/storage/storage';
import type { ResponseOf } from '../shared/contract';
import { claims, isAdmin, onOtherPerson } from './session';

/** To send to their topics; to read what administrators read. */
export type Right = 'send' | 'audit';

const STORED = 'rights';
export const rights = signal<readonly Right[]>([]);

/** Auditors read administrators' screens, and change nothing there. */
export const mayChange = isAdmin;

onOtherPerson(() => {
  const person = claims.peek()?.id;
  if (person === undefined) writeStored(STORED, null);
  const [owner, ...kept] = (readStored(STORED) ?? '').split(' ');
  rights.value = owner === String(person) ? (kept as Right[]) : [];
});

function keep(now: readonly Right[]): void {
  if (isAdmin.peek() || now.join() === rights.peek().join()) return;
  writeStored(STORED, now.length > 0 ? [claims.peek()?.id, ...now].join(' ') : null);
  rights.value = now;
}

/** Takes them from a response, which omits those that the person does not have. */
export function takeRights({
  maySend,
  isAuditor,
}: Pick<ResponseOf<'GET /api/account'>, 'maySend' | 'isAuditor'>): void {
  keep([...(maySend ? (['send'] as const) : []), ...(isAuditor ? (['audit'] as const) : [])]);
}

/** After the server refused. It may return with the next start. */
export const dropRight = (lost: Right): void => keep(rights.peek().filter((one) => one !== lost));
