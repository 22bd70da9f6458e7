/** Importing people, and their invitations. */
import * as v from 'valibot';
import type { Imported, Invitation, InvitationPage } from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { count, id, maybeText, maybeTime, page, text, time, uri } from './common';

export const invitation = shapeOf<Invitation>()(
  v.object({
    id,
    username: text,
    email: maybeText,
    registrationLink: v.pipe(uri, v.description('Works once, until `expiresAt`.')),
    expiresAt: time,
    mail: v.pipe(
      v.picklist(['none', 'waiting', 'sent', 'failed']),
      v.description('What became of the mail with the link: `none` was asked for.'),
    ),
    openedAt: v.pipe(maybeTime, v.description('When a browser first showed its page.')),
    importedAt: v.pipe(maybeTime, v.description('Null for who was added one by one.')),
  }),
);

const mail = v.exactOptional(
  v.pipe(
    v.literal('not_set_up'),
    v.description('Only then there: no mail server is set up, so that no invitation leaves.'),
  ),
);

export const imported = shapeOf<Imported>()(
  v.object({
    rows: v.pipe(count, v.description('All lines but the heading and empty ones.')),
    created: count,
    subscribed: v.pipe(count, v.description('So many subscriptions are new.')),
    unchanged: v.pipe(count, v.description('Of so many people nothing was new.')),
    errors: v.array(
      v.object({
        line: v.pipe(id, v.description('Where the record begins in the file, from 1.')),
        message: text,
      }),
    ),
    links: v.pipe(v.array(invitation), v.description('Of those who are new; none in a dry run.')),
    mail,
  }),
);

export const invitationPage = shapeOf<InvitationPage>()(
  v.object({
    invitations: v.array(invitation),
    pending: v.pipe(count, v.description('All who have not registered, whatever was asked for.')),
    withoutEmail: v.pipe(count, v.description('So many of them have no e-mail address.')),
    newest: v.pipe(
      v.nullable(
        v.object({
          importedAt: time,
          people: count,
          registered: count,
          mails: v.object({ waiting: count, sent: count, failed: count }),
        }),
      ),
      v.description('How far the newest import is.'),
    ),
    mail,
    ...page,
  }),
);
