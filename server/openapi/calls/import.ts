/** Adding many people at once, and inviting them. */
import type { ImportCalls, Invitation } from '../../../src/shared/contract';
import type { Area } from '../call';
import { paging } from '../parameters';
import { pending, storms } from '../samples';
import { imported, invitationPage } from '../shapes/import';

const invited: Invitation = {
  id: 7,
  username: 'h.ito',
  email: 'h.ito@northgrid.example',
  registrationLink: `https://bell.example/register/${pending.registrationToken ?? ''}`,
  expiresAt: '2026-11-27T08:00:00.000Z',
  mail: 'waiting',
  openedAt: null,
  importedAt: '2026-11-20T08:00:00.000Z',
};

export const importCalls = {
  'POST /api/admin/import': {
    does: 'Add many people from a CSV file',
    more: 'All of them, or nobody. To 10,000 people, 30,000 subscriptions and 2 MiB. The first line names the columns, in any order: `username`, `email`, `role` (customer if empty) and `topics` (by title, `;` between). Comma, semicolon or tab; UTF-8, UTF-16 with its mark, or Windows-1252. Who exists is only subscribed, so the same file again changes nothing; another role or e-mail address than somebody has is an error. Who is new and has an address gets a mail with their link.\n\nLines with errors answer 200 in a dry run; else 400, with all fields of that answer beside `error`. Each such line is listed, so this answer may be several times as long as the file, some MiB at most.',
    bodyType: 'text/csv',
    body: `username,email,role,topics\r\n${invited.username},${invited.email ?? ''},technician,${storms.title}\r\n`,
    query: {
      dryRun: {
        description: '`true`: only checks, and says what would be done.',
        schema: { type: 'boolean', default: false },
      },
      topicId: {
        description: 'A topic to which all of them are subscribed besides.',
        schema: { type: 'integer', minimum: 1 },
        example: storms.id,
      },
    },
    shape: imported,
    answer: { rows: 1, created: 1, subscribed: 1, unchanged: 0, errors: [], links: [invited] },
    refusals: {
      400: 'Lines have errors (then all of the answer is there, too), or it is no such file.',
      409: 'Others changed the same people meanwhile.',
    },
  },
  'GET /api/admin/invitations': {
    does: 'List who has not registered yet, with their links',
    more: 'By id. A link that has expired is made anew.',
    query: {
      ...paging('in names and e-mail addresses'),
      ids: {
        description: 'Only these people: ids with commas between, to 100.',
        schema: { type: 'string' },
      },
      mail: {
        description: '`none`: only who has no e-mail address.',
        schema: { type: 'string', enum: ['none'] },
      },
    },
    shape: invitationPage,
    answer: {
      invitations: [invited],
      pending: 47,
      withoutEmail: 3,
      newest: {
        importedAt: '2026-11-20T08:00:00.000Z',
        people: 49,
        registered: 12,
        mails: { waiting: 0, sent: 44, failed: 2 },
      },
      total: 1,
      page: 1,
      limit: 10,
    },
  },
} satisfies Area<ImportCalls>;
