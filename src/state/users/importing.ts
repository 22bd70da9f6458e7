/** Importing many people: the result, and the invitations of people who have not registered. */
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { matchesExample } from '../../api/matches-example';
import { toCsvLine } from '../../shared/csv';
import type { Language } from '../../shared/languages';
import type { Imported, ImportHeading, Invitation, InvitationPage } from '../../shared/contract';
import {
  importedSchema as importedExample,
  importHeadingSchema,
  invitationPageSchema,
} from '../../shared/contract/import' with { type: 'example' };
import { personalSignal } from '../personal-signal';

export { decodeCsv as readText } from '../../shared/csv';

export const IMPORT_CHECK_FAILED = 'Failed to check the lines.';
export const IMPORT_FAILED =
  'We don’t know whether the people were added. You can press the button again. People are never added twice.';
export const INVITATIONS_FAILED = 'Failed to load invitations.';
/** The server's limit. */
export const MAX_IMPORT_BYTES = 2 * 1024 * 1024;

/** The server needs up to 20 seconds for 10,000 people. */
const IMPORT_TIMEOUT_MS = 60_000;

export type HeadingColumn = ImportHeading['columns'][number];

export interface ImportLines {
  text: string;
  /** The topic to which everyone is subscribed; empty for no topic. */
  topicId: string;
  /** What each column contains; undefined to find out by name. */
  columns: readonly HeadingColumn[] | undefined;
  /** The language of the new people's invitations; empty to let their browsers decide. */
  language: Language | '';
}

/** Resolves with the result; for invalid lines, with their errors. */
const postLines = (
  { text, topicId, columns, language }: ImportLines,
  query: { dryRun?: boolean },
  fallback: string,
): Promise<Imported> =>
  call('POST /api/admin/import', {
    body: text,
    query: {
      ...query,
      ...(topicId && { topicId: Number(topicId) }),
      ...(language && { language }),
      ...(columns && { columns: columns.map(({ use }) => use).join() }),
    },
    fallback,
    headers: { 'Content-Type': 'text/csv' },
    accepts: 400,
    like: importedExample,
    limit: IMPORT_TIMEOUT_MS,
  });

/**
 * A dry run.
 * @throws {ApiError}
 */
export const checkImport = (lines: ImportLines): Promise<Imported> =>
  postLines(lines, { dryRun: true }, IMPORT_CHECK_FAILED);

/**
 * Adds all people, or none if a line has become invalid.
 * @throws {ApiError}
 */
export const importPeople = (lines: ImportLines): Promise<Imported> =>
  postLines(lines, {}, IMPORT_FAILED);

/** The columns of an invalid first line, if what they contain can be chosen. */
export function invalidHeading(error: unknown): HeadingColumn[] | undefined {
  const response: unknown = error instanceof ApiError ? error.body : undefined;
  return matchesExample(response, importHeadingSchema)
    ? (response as ImportHeading).columns
    : undefined;
}

/** The import stays in memory: links are secrets, and other people may use this computer. */
export const lastImport = personalSignal<Imported | undefined>(undefined);

export function keepImport(imported: Imported): void {
  lastImport.value = imported;
}
export const discardImport = (): void => {
  lastImport.value = undefined;
};

type InvitationQuery = { page?: number; limit?: number; ids?: string; mail?: 'none' };

export const readInvitations = (query: InvitationQuery): Promise<InvitationPage> =>
  call('GET /api/admin/invitations', {
    query,
    fallback: INVITATIONS_FAILED,
    like: invitationPageSchema,
  });

/** The server's limit. */
const INVITATION_PAGE_SIZE = 100;
/** How many to print at once: fifty sheets. */
export const INVITATIONS_PER_PART = 4 * INVITATION_PAGE_SIZE;

/**
 * `INVITATIONS_PER_PART` people, with valid links; parts count from 1.
 * @throws {ApiError}
 */
export async function readInvitationPart({
  mail,
  part,
}: {
  mail: 'none' | undefined;
  part: number;
}): Promise<InvitationPage> {
  const firstPage = ((part - 1) * INVITATIONS_PER_PART) / INVITATION_PAGE_SIZE + 1;
  const readPage = (page: number) =>
    readInvitations({ page, limit: INVITATION_PAGE_SIZE, ...(mail ? { mail } : undefined) });
  const response = await readPage(firstPage);
  const invitations = [...response.invitations];
  const lastPage = Math.min(
    firstPage + INVITATIONS_PER_PART / INVITATION_PAGE_SIZE - 1,
    Math.ceil(response.total / INVITATION_PAGE_SIZE),
  );
  for (let page = firstPage + 1; page <= lastPage; page++)
    invitations.push(...(await readPage(page)).invitations);
  // If someone registers in the meantime, the pages overlap.
  return {
    ...response,
    invitations: [...new Map(invitations.map((one) => [one.id, one])).values()],
  };
}

/**
 * Registration state of these people: a missing person has registered.
 * @throws {ApiError}
 */
export const readInvitationStates = (ids: readonly number[]): Promise<InvitationPage> =>
  readInvitations({ limit: INVITATION_PAGE_SIZE, ids: ids.slice(0, INVITATION_PAGE_SIZE).join() });

/** Registration links as CSV, for mail merges. */
export const createLinksFile = (links: readonly Invitation[]): Blob =>
  new Blob(
    [
      toCsvLine(['username', 'email', 'registrationLink', 'expiresAt']),
      ...links.map(({ username, email, registrationLink, expiresAt }) =>
        toCsvLine([username, email ?? '', registrationLink, expiresAt]),
      ),
    ],
    { type: 'text/csv' },
  );
