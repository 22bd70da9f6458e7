/** Adding many people at once: what came of it, and the invitations of who has not registered. */
import { signal } from '@preact/signals-react';
import { call } from '../../api/call';
import { toLine } from '../../shared/csv';
import type { Imported, Invitation, InvitationPage } from '../../shared/contract';
import { imported as importedExample, invitationPage } from '../../shared/contract/import' with {
  type: 'example',
};
import { onOtherPerson } from '../session';

export { readText } from '../../shared/csv';

export const CHECK_FAILED = 'Failed to check the lines.';
export const IMPORT_FAILED =
  'It is not known whether they were added. Press again: nobody is added twice.';
export const INVITATIONS_FAILED = 'Failed to fetch invitations.';
/** What the server takes. */
export const MAX_BYTES = 2 * 1024 * 1024;

/** The server takes up to twenty seconds for ten thousand people, and they have a long way there. */
const IMPORT_LIMIT_MS = 60_000;

/** What came of the lines; of faulty ones, what is wrong with them. */
const postLines = (
  body: string,
  topicId: string,
  query: { dryRun?: boolean },
  fallback: string,
): Promise<Imported> =>
  call('POST /api/admin/import', {
    body,
    query: { ...query, ...(topicId && { topicId: Number(topicId) }) },
    fallback,
    headers: { 'Content-Type': 'text/csv' },
    accepts: 400,
    like: importedExample,
    limit: IMPORT_LIMIT_MS,
  });

/** What would come of these lines. Nothing is changed. @throws {ApiError} */
export const check = (text: string, topicId: string): Promise<Imported> =>
  postLines(text, topicId, { dryRun: true }, CHECK_FAILED);

/** Adds all of them, or nobody where a line has an error by now. @throws {ApiError} */
export const add = (text: string, topicId: string): Promise<Imported> =>
  postLines(text, topicId, {}, IMPORT_FAILED);

/** The import that was just made. Only in memory: links are secrets, and others sit down here, too. */
export const lastImport = signal<Imported | undefined>(undefined);

export function keep(imported: Imported): void {
  lastImport.value = imported;
}
export const forgetImport = (): void => {
  lastImport.value = undefined;
};
onOtherPerson(forgetImport);

type Asked = { page?: number; limit?: number; ids?: string; mail?: 'none' };

export const readInvitations = (query: Asked): Promise<InvitationPage> =>
  call('GET /api/admin/invitations', {
    query,
    fallback: INVITATIONS_FAILED,
    like: invitationPage,
  });

/** The most that a page of the server has. */
const PAGE = 100;
/** Printed at once: fifty sheets. */
export const PART = 4 * PAGE;

/**
 * A part of those who have not registered, with links that work: `PART` people, the first of 1.
 * @throws {ApiError}
 */
export async function readPart({
  mail,
  part,
}: {
  mail: 'none' | undefined;
  part: number;
}): Promise<InvitationPage> {
  const first = ((part - 1) * PART) / PAGE + 1;
  const read = (page: number) =>
    readInvitations({ page, limit: PAGE, ...(mail ? { mail } : undefined) });
  const answer = await read(first);
  const all = [...answer.invitations];
  const last = Math.min(first + PART / PAGE - 1, Math.ceil(answer.total / PAGE));
  for (let page = first + 1; page <= last; page++) all.push(...(await read(page)).invitations);
  // Somebody may register meanwhile, and the pages overlap.
  return { ...answer, invitations: [...new Map(all.map((one) => [one.id, one])).values()] };
}

/** How far these people are: who is not among them has registered. @throws {ApiError} */
export const readInvitationStates = (ids: readonly number[]): Promise<InvitationPage> =>
  readInvitations({ limit: PAGE, ids: ids.slice(0, PAGE).join() });

/** A file of links, for spreadsheets and mail merges. */
export const linksFile = (links: readonly Invitation[]): Blob =>
  new Blob(
    [
      toLine(['username', 'email', 'registrationLink', 'expiresAt']),
      ...links.map(({ username, email, registrationLink, expiresAt }) =>
        toLine([username, email ?? '', registrationLink, expiresAt]),
      ),
    ],
    { type: 'text/csv' },
  );
