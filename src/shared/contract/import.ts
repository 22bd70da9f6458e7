import * as v from 'valibot';
import {
  count,
  withDescription,
  id,
  maybeTime,
  withNote,
  page,
  paging,
  sample,
  text,
  time,
  uri,
} from './common';
import type { CallTable } from './common';
import { LANGUAGE_CODES } from '../languages';

const IMPORTED_AT = '2026-11-20T08:00:00.000Z';

/** A person who has not registered, with their registration link. */
export const invitation = v.object({
  id: sample(id, 7),
  username: text('h.ito'),
  email: v.nullable(text('h.ito@northgrid.example')),
  registrationLink: withDescription(
    uri('https://bell.example/register/kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo'),
    'The link works once, until `expiresAt`.',
    'https://bell.example/register/kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo',
  ),
  expiresAt: sample(time, '2026-11-27T08:00:00.000Z'),
  language: v.exactOptional(
    withDescription(
      v.picklist(LANGUAGE_CODES),
      'The language of the invitation. Absent if the browser decides.',
      'pl',
    ),
  ),
  instructions: v.exactOptional(
    withDescription(
      v.string(),
      'The text of a printed invitation, in `language`. Absent if `language` is absent.',
      'Zeskanuj kod aparatem i ustaw hasło. Potem stuknij Zainstaluj aplikację i Włącz powiadomienia.',
    ),
  ),
  mail: withDescription(
    v.picklist(['none', 'waiting', 'sent', 'failed']),
    'The state of the email with the link. `none`: not requested. `failed`: the mail server rejected the address, or accepted no email for a day.',
    'waiting',
  ),
  openedAt: withDescription(maybeTime, 'When a browser first opened the link.', null),
  importedAt: withDescription(
    maybeTime,
    'When the person was imported. Null for people added one by one.',
    IMPORTED_AT,
  ),
});
const mail = v.exactOptional(
  withDescription(
    v.literal('not_set_up'),
    'Only if no mail server is set up, so no invitations are sent.',
  ),
);

/** The result of an import or of its dry run. */
export const imported = v.object({
  rows: withDescription(
    count,
    'How many lines the file has, without the header and empty lines.',
    1,
  ),
  created: sample(count, 1),
  subscribed: withDescription(count, 'How many subscriptions were added.', 1),
  joined: v.exactOptional(
    withDescription(count, 'How many people were added to teams. Absent if none were.', 2),
  ),
  newTeams: v.exactOptional(
    withDescription(
      v.array(v.string()),
      'Names of the teams that the import adds. Lists only the first 100.',
      ['North crew'],
    ),
  ),
  unchanged: withDescription(count, 'How many people needed no change.', 0),
  errors: withDescription(
    v.array(
      v.object({
        line: withDescription(id, 'The line where the record starts, from 1.'),
        message: v.string(),
      }),
    ),
    'One for each error in a line. If there are any, the import changes nothing.',
    [],
  ),
  links: withDescription(v.array(invitation), 'The links of new people. Empty in a dry run.'),
  mail,
});
/** What a column of an imported file contains. */
export const columnUse = v.picklist(['username', 'email', 'role', 'topics', 'teams', 'ignore']);
/** Comes with an error about the first line if its columns can be chosen. */
export const importHeading = v.object({
  columns: v.array(v.object({ name: v.string(), use: columnUse })),
});
export const invitationPage = v.object({
  invitations: v.array(invitation),
  pending: withDescription(
    count,
    'How many people have not registered, regardless of the filter.',
    47,
  ),
  withoutEmail: withDescription(count, 'How many of these people have no email address.', 3),
  newest: withDescription(
    v.nullable(
      v.object({
        importedAt: sample(time, IMPORTED_AT),
        people: sample(count, 49),
        registered: sample(count, 12),
        mails: v.object({
          waiting: sample(count, 0),
          sent: sample(count, 44),
          failed: sample(count, 2),
        }),
      }),
    ),
    'The progress of the newest import.',
  ),
  mail,
  ...page,
});

export type Invitation = v.InferOutput<typeof invitation>;
export type Imported = v.InferOutput<typeof imported>;
export type ColumnUse = v.InferOutput<typeof columnUse>;
export type ImportHeading = v.InferOutput<typeof importHeading>;
export type InvitationPage = v.InferOutput<typeof invitationPage>;

export const importCalls = {
  'POST /api/admin/import': {
    does: 'Add many people from a CSV file',
    more: 'Adds everyone. If any line is invalid, adds no one. Limits: 10,000 people, 30,000 subscriptions, 1,000 teams, 2 MiB. The first line names the columns, in any order: `username`, `email`, `role` (empty means customer), `topics` (titles, separated by `;`) and `teams` (names, separated by `;`; unknown teams are added). Their German, Spanish, French, Polish and Arabic names work, too. Separators: comma, semicolon or tab. Encodings: UTF-8, UTF-16 with a byte order mark, or Windows-1252. Existing users are only subscribed and added to teams, so importing a file again changes nothing. A different role or email address for an existing user is an error. New people with an email address are emailed their link.\n\nA dry run with invalid lines returns 200. An import with invalid lines returns 400, with the same fields and `error`. Every invalid line is listed, so the response can be several times as large as the file.',
    bodyType: 'text/csv',
    body: text(
      'username,email,role,topics\r\nh.ito,h.ito@northgrid.example,technician,Storm warnings\r\n',
    ),
    query: {
      dryRun: withNote(v.boolean(), {
        description: '`true`: only checks the file, and reports what would change.',
        default: false,
      }),
      columns: withDescription(
        v.string(),
        'Column names, in order, separated by commas. Replaces the names in the first line, which is still skipped. Each is `username`, `email`, `role`, `topics`, `teams` or `ignore`.',
      ),
      topicId: withDescription(id, 'Also subscribe everyone to this topic.', 1),
      language: withDescription(
        v.picklist(LANGUAGE_CODES),
        'The language of the invitations of new people, and then of their accounts. Absent if their browsers decide.',
        'pl',
      ),
    },
    response: imported,
    errors: {
      400: 'The file cannot be read, or lines are invalid. For invalid lines, the body also has all fields of a 200 response. If the first line is invalid, `columns` lists each `name` and its `use`, so that you can correct them and send them as `columns`.',
      409: 'Someone else changed the same people at the same time.',
    },
  },
  'GET /api/admin/invitations': {
    does: 'List people who have not registered yet, with their links',
    more: 'Ordered by id. Expired links are renewed.',
    query: {
      ...paging('in usernames and email addresses'),
      ids: withDescription(v.string(), 'Only these people: up to 100 ids, separated by commas.'),
      mail: withDescription(v.literal('none'), '`none`: only people without an email address.'),
    },
    response: invitationPage,
  },
} satisfies CallTable;
