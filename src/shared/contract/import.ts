import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  idSchema,
  nullableTimestampSchema,
  withNote,
  pageFields,
  pagingFields,
  withExamples,
  sampleText,
  timestampSchema,
  sampleUri,
} from './common';
import type { CallTable } from './common';
import { LANGUAGE_CODES } from '../languages';

const EXAMPLE_IMPORTED_AT = '2026-11-20T08:00:00.000Z';

/** A person who has not registered, with their registration link. */
export const invitationSchema = v.object({
  id: withExamples(idSchema, 7),
  username: sampleText('h.ito'),
  email: v.nullable(sampleText('h.ito@northgrid.example')),
  registrationLink: withDescription(
    sampleUri('https://bell.example/register/kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo'),
    'The person’s registration link. It works once, and only until `expiresAt`.',
    'https://bell.example/register/kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo',
  ),
  expiresAt: withExamples(timestampSchema, '2026-11-27T08:00:00.000Z'),
  language: v.exactOptional(
    withDescription(
      v.picklist(LANGUAGE_CODES),
      'The language of the invitation. Absent if none was chosen, and in the response to an import.',
      'pl',
    ),
  ),
  instructions: v.exactOptional(
    withDescription(
      v.string(),
      'The text to print on the invitation, in the invitation’s language. Absent if `language` is absent.',
      'Zeskanuj kod aparatem i ustaw hasło. Potem stuknij Zainstaluj aplikację i Włącz powiadomienia.',
    ),
  ),
  mail: withDescription(
    v.picklist(['none', 'waiting', 'sent', 'failed']),
    'The state of the email with the link. `none`: no email is sent. `failed`: the mail server rejected the address, or accepted no email for a day.',
    'waiting',
  ),
  openedAt: withDescription(nullableTimestampSchema, 'When a browser first opened the link.', null),
  importedAt: withDescription(
    nullableTimestampSchema,
    'When the person was imported. Null for people who were added one by one.',
    EXAMPLE_IMPORTED_AT,
  ),
});
const invitationMailSchema = v.exactOptional(
  withDescription(
    v.literal('not_set_up'),
    'Present only if no mail server is set up. No invitations are emailed then.',
  ),
);

/** The result of an import or of its dry run. */
export const importedSchema = v.object({
  rows: withDescription(
    countSchema,
    'How many lines the file has, without the first line and empty lines.',
    1,
  ),
  created: withExamples(countSchema, 1),
  subscribed: withDescription(countSchema, 'How many subscriptions the import adds.', 1),
  joined: v.exactOptional(
    withDescription(
      countSchema,
      'How many team memberships the import adds. Absent if it adds none.',
      2,
    ),
  ),
  newTeams: v.exactOptional(
    withDescription(
      v.array(v.string()),
      'The names of the teams that the import creates. At most 100 names are listed.',
      ['North crew'],
    ),
  ),
  unchanged: withDescription(
    countSchema,
    'How many people in the file already exist and need no change.',
    0,
  ),
  errors: withDescription(
    v.array(
      v.object({
        line: withDescription(idSchema, 'The number of the invalid line in the file, from 1.'),
        message: v.string(),
      }),
    ),
    'The errors in the file, at most one per line. If there are any, the import changes nothing.',
    [],
  ),
  links: withDescription(
    v.array(invitationSchema),
    'The new people with their registration links. Empty in a dry run.',
  ),
  mail: invitationMailSchema,
});
/** What a column of an imported file contains. */
export const columnUseSchema = v.picklist([
  'username',
  'email',
  'role',
  'topics',
  'teams',
  'ignore',
]);
/** Comes with an error about the first line if its columns can be chosen. */
export const importHeadingSchema = v.object({
  columns: v.array(v.object({ name: v.string(), use: columnUseSchema })),
});
export const invitationPageSchema = v.object({
  invitations: v.array(invitationSchema),
  pending: withDescription(
    countSchema,
    'How many people have not registered yet, regardless of the query.',
    47,
  ),
  withoutEmail: withDescription(
    countSchema,
    'How many of the people who have not registered yet have no email address.',
    3,
  ),
  newest: withDescription(
    v.nullable(
      v.object({
        importedAt: withExamples(timestampSchema, EXAMPLE_IMPORTED_AT),
        people: withExamples(countSchema, 49),
        registered: withExamples(countSchema, 12),
        mails: v.object({
          waiting: withExamples(countSchema, 0),
          sent: withExamples(countSchema, 44),
          failed: withExamples(countSchema, 2),
        }),
      }),
    ),
    'The progress of the newest import.',
  ),
  mail: invitationMailSchema,
  ...pageFields,
});

export type Invitation = v.InferOutput<typeof invitationSchema>;
export type Imported = v.InferOutput<typeof importedSchema>;
export type ColumnUse = v.InferOutput<typeof columnUseSchema>;
export type ImportHeading = v.InferOutput<typeof importHeadingSchema>;
export type InvitationPage = v.InferOutput<typeof invitationPageSchema>;

export const importCalls = {
  'POST /api/admin/import': {
    does: 'Add many people from a CSV file',
    more: 'If any line is invalid, no one is added. Limits: 10,000 people, 30,000 subscriptions, 1,000 teams, 30,000 team memberships, 2 MiB. The first line names the columns, in any order: `username`, `email`, `role` (empty means customer), `topics` (titles, separated by `;`) and `teams` (names, separated by `;`; unknown teams are added). The German, Spanish, French, Polish and Arabic names of these columns also work. Separators: comma, semicolon or tab. Encodings: UTF-8, UTF-16 with a byte order mark, or Windows-1252. Users who already exist are only subscribed and added to teams, so importing the same file again changes nothing. A line with another role or email address for an existing user is invalid. New people who have an email address get their registration link by email.\n\nA dry run with invalid lines returns 200. An import with invalid lines returns 400, with the same fields and with `error`. The response lists every invalid line, so it can be several times as large as the file.',
    bodyType: 'text/csv',
    body: sampleText(
      'username,email,role,topics\r\nh.ito,h.ito@northgrid.example,technician,Storm warnings\r\n',
    ),
    query: {
      dryRun: withNote(v.boolean(), {
        description:
          'If `true`, the server only checks the file and reports what an import would change.',
        default: false,
      }),
      columns: withDescription(
        v.string(),
        'What each column contains, in order, separated by commas: `username`, `email`, `role`, `topics`, `teams` or `ignore`. Replaces the names in the first line of the file. The first line is still skipped.',
      ),
      topicId: withDescription(idSchema, 'Also subscribe everyone in the file to this topic.', 1),
      language: withDescription(
        v.picklist(LANGUAGE_CODES),
        'The language of the new people’s invitations, and later of their accounts. If absent, emails are in the server’s `DEFAULT_LANGUAGE`, and the app uses the language of the browser.',
        'pl',
      ),
    },
    response: importedSchema,
    errors: {
      400: 'The file cannot be read, or lines are invalid. If lines are invalid, the body also has all fields of a 200 response. If the first line is invalid, `columns` in the response lists the `name` and `use` of each column. Correct the uses, and send them in the query as `columns`.',
      409: 'Someone else changed the same people at the same time.',
    },
  },
  'GET /api/admin/invitations': {
    does: 'List people who have not registered yet, with their links',
    more: 'Sorted by id. The server renews expired links.',
    query: {
      ...pagingFields('Text to search for in usernames and email addresses.'),
      ids: withDescription(v.string(), 'Only these people: up to 100 ids, separated by commas.'),
      mail: withDescription(v.literal('none'), 'Only people without an email address.'),
    },
    response: invitationPageSchema,
  },
} satisfies CallTable;
