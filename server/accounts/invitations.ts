import { sql } from 'kysely';
import type { Invitation, InvitationPage } from '../../src/shared/contract';
import type { MailJob, MailRecipient } from './mail/mail-jobs';
import type { Config } from '../config/config';
import type { Database } from '../db/open';
import { containsWords, readPageFields } from '../http/paging';
import type { Paging } from '../http/paging';
import type { Services } from '../services';
import { readOrRenewRegistrationLinks } from './one-time-tokens';
import { buildRegistrationLink } from './registration/invitation';
import { toTime, toTimeOrNull } from '../lib/clock';
import { translatorFor } from '../translation/language-of-person';
import { translate } from '../translation/translate';

interface InvitationFilter {
  ids: number[] | undefined;
  withoutEmail: boolean;
}

export async function listInvitations(
  paging: Paging,
  { ids, withoutEmail }: InvitationFilter,
  services: Services,
): Promise<InvitationPage> {
  const { db } = services;
  const { limit, offset, words } = paging;
  let invitationsQuery = db
    .selectFrom('users')
    .leftJoin('invitations', 'invitations.user_id', 'users.id')
    // A literal, not a parameter: SQLite then uses the partial index.
    .where('users.status', '=', sql.lit('PENDING'))
    .where('users.suspended_at', 'is', null)
    .where(({ ref }) => containsWords(words, ref('users.username_key'), ref('users.email_key')));
  if (withoutEmail) invitationsQuery = invitationsQuery.where('users.email', 'is', null);
  // 0 matches no one, so an empty list stays valid SQL.
  if (ids !== undefined) invitationsQuery = invitationsQuery.where('users.id', 'in', [0, ...ids]);
  const rows = await invitationsQuery
    .select(['users.id', 'users.username', 'users.email', 'users.language'])
    .select(['invitations.mail', 'invitations.opened_at', 'invitations.imported_at'])
    .orderBy('users.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const links = await readOrRenewRegistrationLinks(
    rows.map(({ id }) => id),
    services,
  );
  const invitations = rows.flatMap(
    ({ id, username, email, language, mail, ...times }): Invitation[] => {
      const link = links.get(id);
      if (link === undefined) return [];
      return [
        {
          id,
          username,
          email,
          registrationLink: buildRegistrationLink(link.token, services.config),
          expiresAt: toTime(link.expiresAt),
          ...(language && { language, instructions: translate(PRINTED_INSTRUCTIONS, language) }),
          mail: mail ?? 'none',
          openedAt: toTimeOrNull(times.opened_at),
          importedAt: toTimeOrNull(times.imported_at),
        },
      ];
    },
  );
  return {
    invitations,
    ...(await readPageFields(rows, paging, invitationsQuery, db)),
    ...(await countPending(db)),
    newest: await readNewest(db),
    ...describeMailSetup(services.config),
  };
}

const PRINTED_INSTRUCTIONS =
  'Scan the code with your camera and set a password. Then tap Install App and Enable Notifications.';

export const describeMailSetup = ({ smtpUrl }: Config): Pick<InvitationPage, 'mail'> =>
  smtpUrl === undefined ? { mail: 'not_set_up' } : {};

async function countPending(
  db: Database,
): Promise<Pick<InvitationPage, 'pending' | 'withoutEmail'>> {
  const { rows } = await sql<{ pending: number; without: number }>`select count(*) as pending,
    count(*) - count(email) as without from users where status = 'PENDING' and suspended_at is null`.execute(
    db,
  );
  return { pending: Number(rows[0]?.pending), withoutEmail: Number(rows[0]?.without) };
}

async function readNewest(db: Database): Promise<InvitationPage['newest']> {
  const { rows } = await sql<Record<'at' | 'people' | 'registered' | Invitation['mail'], number>>`
    select imported_at as at, count(*) as people,
      sum(case when users.status = 'ACTIVE' then 1 else 0 end) as registered,
      sum(case when mail = 'waiting' and users.status = 'PENDING' then 1 else 0 end) as waiting,
      sum(case when mail = 'sent' then 1 else 0 end) as sent,
      sum(case when mail = 'failed' then 1 else 0 end) as failed
    from invitations inner join users on users.id = invitations.user_id
    where imported_at = (select max(imported_at) from invitations)
    group by imported_at`.execute(db);
  const [newestImport] = rows;
  if (newestImport === undefined) return null;
  return {
    importedAt: toTime(Number(newestImport.at)),
    people: Number(newestImport.people),
    registered: Number(newestImport.registered),
    mails: {
      waiting: Number(newestImport.waiting),
      sent: Number(newestImport.sent),
      failed: Number(newestImport.failed),
    },
  };
}

/** The invitation of an imported person. The job's subject is the person's id. */
export const invitationMail: MailJob = {
  async findRecipient(subject, { db }): Promise<MailRecipient | undefined> {
    const user = await db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', Number(subject))
      .where('status', '=', 'PENDING')
      .where('suspended_at', 'is', null)
      .executeTakeFirst();
    return user?.email == null ? undefined : { ...user, email: user.email };
  },
  async writeMail(user, services) {
    const { id, username, email } = user;
    const translateText = translatorFor(user, services.config);
    // The link that administrators see and print: a new one would invalidate it.
    const invitation = (await readOrRenewRegistrationLinks([id], services)).get(id);
    if (invitation === undefined) throw new Error('The person registered in the meantime.');
    const link = buildRegistrationLink(invitation.token, services.config);
    return {
      to: email,
      subject: translateText('Your invitation to Fieldbell'),
      text: translateText(
        'Hello {0},\n\nYou have been invited to Fieldbell. It sends you notifications about topics such as outages or maintenance. Open this link on your phone and set a password:\n\n{1}\n\nThe link works once and expires in seven days. Do not share it.\n',
        username,
        link,
      ),
      link,
    };
  },
  async recordMailOutcome(subject, outcome, transaction) {
    if (outcome === 'dropped') return;
    await transaction
      .updateTable('invitations')
      .set({ mail: outcome === 'sent' ? 'sent' : 'failed' })
      .where('user_id', '=', Number(subject))
      .execute();
  },
};

/** Notes the first time the registration page ran. Mail scanners fetch a link but don't run it. */
export async function recordRegistrationOpened(
  userId: number,
  db: Database,
  now: number,
): Promise<void> {
  const openedLink = await db
    .selectFrom('invitations')
    .select('opened_at')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (openedLink?.opened_at != null) return;
  await db
    .insertInto('invitations')
    .values({ user_id: userId, opened_at: now })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ opened_at: now })
        .where('invitations.opened_at', 'is', null),
    )
    .execute();
}
