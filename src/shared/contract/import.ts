import * as v from 'valibot';
import {
  count,
  described,
  id,
  maybeTime,
  noted,
  page,
  paging,
  sample,
  text,
  time,
  uri,
} from './common';
import type { CallTable } from './common';

const IMPORTED_AT = '2026-11-20T08:00:00.000Z';

/** A person who has not registered, with their registration link. */
export const invitation = v.object({
  id: sample(id, 7),
  username: text('h.ito'),
  email: v.nullable(text('h.ito@northgrid.example')),
  registrationLink: described(
    uri('https://bell.example/register/kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo'),
    'Works once, until `expiresAt`.',
    'https://bell.example/register/kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo',
  ),
  expiresAt: sample(time, '2026-11-27T08:00:00.000Z'),
  mail: described(
    v.picklist(['none', 'waiting', 'sent', 'failed']),
    'What became of the mail with the link: `none` was asked for. `failed`: the address was refused, or no mail server took it for a day.',
    'waiting',
  ),
  openedAt: described(maybeTime, 'When a browser first showed its page.', null),
  importedAt: described(maybeTime, 'Null for who was added one by one.', IMPORTED_AT),
});
const mail = v.exactOptional(
  described(
    v.literal('not_set_up'),
    'Only then there: no mail server is set up, so that no invitation leaves.',
  ),
);

/** The result of an import or of its dry run. */
export const imported = v.object({
  rows: described(count, 'All lines but the heading and empty ones.', 1),
  created: sample(count, 1),
  subscribed: described(count, 'So many subscriptions are new.', 1),
  unchanged: described(count, 'Of so many people nothing was new.', 0),
  errors: described(
    v.array(
      v.object({
        line: described(id, 'Where the record begins in the file, from 1.'),
        message: v.string(),
      }),
    ),
    'One for each faulty line. With any, nothing is changed.',
    [],
  ),
  links: described(v.array(invitation), 'Of those who are new; none in a dry run.'),
  mail,
});
export const invitationPage = v.object({
  invitations: v.array(invitation),
  pending: described(count, 'All who have not registered, whatever was asked for.', 47),
  withoutEmail: described(count, 'So many of them have no e-mail address.', 3),
  newest: described(
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
    'How far the newest import is.',
  ),
  mail,
  ...page,
});

export type Invitation = v.InferOutput<typeof invitation>;
export type Imported = v.InferOutput<typeof imported>;
export type InvitationPage = v.InferOutput<typeof invitationPage>;

export const importCalls = {
  'POST /api/admin/import': {
    does: 'Add many people from a CSV file',
    more: 'All of them, or nobody. To 10,000 people, 30,000 subscriptions and 2 MiB. The first line names the columns, in any order: `username`, `email`, `role` (customer if empty) and `topics` (by title, `;` between). Comma, semicolon or tab; UTF-8, UTF-16 with its mark, or Windows-1252. Who exists is only subscribed, so the same file again changes nothing; another role or e-mail address than somebody has is an error. Who is new and has an address gets a mail with their link.\n\nLines with errors answer 200 in a dry run; else 400, with all fields of that answer beside `error`. Each such line is listed, so this answer may be several times as long as the file, some MiB at most.',
    bodyType: 'text/csv',
    body: text(
      'username,email,role,topics\r\nh.ito,h.ito@northgrid.example,technician,Storm warnings\r\n',
    ),
    query: {
      dryRun: noted(v.boolean(), {
        description: '`true`: only checks, and says what would be done.',
        default: false,
      }),
      topicId: described(id, 'A topic to which all of them are subscribed besides.', 1),
    },
    answer: imported,
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
      ids: described(v.string(), 'Only these people: ids with commas between, to 100.'),
      mail: described(v.literal('none'), '`none`: only who has no e-mail address.'),
    },
    answer: invitationPage,
  },
} satisfies CallTable;
