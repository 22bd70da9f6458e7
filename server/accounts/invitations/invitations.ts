/** Who has not registered yet, with the links that are handed out. */
import { sql } from 'kysely';
import type { Invitation, InvitationPage } from '../../../src/shared/contract';
import type { Config } from '../../config/config';
import type { Database } from '../../db/open';
import { holds, pagerOf } from '../../http/paging';
import type { Paging } from '../../http/paging';
import type { Services } from '../../services';
import { revealRegistrationLinks } from '../one-time-tokens';
import { linkTo } from '../registration/invitation';

interface Asked {
  /** Only these people. */
  ids: number[] | undefined;
  /** Only those without an e-mail address. */
  withoutEmail: boolean;
}

export async function listInvitations(
  paging: Paging,
  { ids, withoutEmail }: Asked,
  services: Services,
): Promise<InvitationPage> {
  const { db } = services;
  const { limit, offset, words } = paging;
  let matching = db
    .selectFrom('users')
    .leftJoin('invitations', 'invitations.user_id', 'users.id')
    // As text, not as a parameter: SQLite finds them by an index of those alone.
    .where('users.status', '=', sql.lit('PENDING'))
    .where(({ ref }) => holds(words, ref('users.username_key'), ref('users.email_key')));
  if (withoutEmail) matching = matching.where('users.email', 'is', null);
  // Of nobody where nobody is asked for.
  if (ids !== undefined) matching = matching.where('users.id', 'in', [0, ...ids]);
  const rows = await matching
    .select(['users.id', 'users.username', 'users.email'])
    .select(['invitations.mail', 'invitations.opened_at', 'invitations.imported_at'])
    .orderBy('users.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const links = await revealRegistrationLinks(
    rows.map(({ id }) => id),
    services,
  );
  const invitations = rows.flatMap(({ id, username, email, mail, ...at }): Invitation[] => {
    const link = links.get(id);
    // Registered since the list was read.
    if (link === undefined) return [];
    return [
      {
        id,
        username,
        email,
        registrationLink: linkTo(link.token, services.config),
        expiresAt: toTime(link.expiresAt),
        mail: mail ?? 'none',
        openedAt: at.opened_at === null ? null : toTime(at.opened_at),
        importedAt: at.imported_at === null ? null : toTime(at.imported_at),
      },
    ];
  });
  return {
    invitations,
    ...(await pagerOf(rows, paging, matching, db)),
    ...(await countPending(db)),
    newest: await readNewest(db),
    ...mailOf(services.config),
  };
}

/** What is to be said of mail, if anything. */
export const mailOf = ({ smtpUrl }: Config): Pick<InvitationPage, 'mail'> =>
  smtpUrl === undefined ? { mail: 'not_set_up' } : {};

const toTime = (time: number): string => new Date(time).toISOString();

async function countPending(
  db: Database,
): Promise<Pick<InvitationPage, 'pending' | 'withoutEmail'>> {
  const { rows } = await sql<{ pending: number; without: number }>`select count(*) as pending,
    count(*) - count(email) as without from users where status = 'PENDING'`.execute(db);
  return { pending: Number(rows[0]?.pending), withoutEmail: Number(rows[0]?.without) };
}

/** How far the newest import is. Who was deleted since is not counted. */
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
  const [newest] = rows;
  if (newest === undefined) return null;
  return {
    importedAt: toTime(Number(newest.at)),
    people: Number(newest.people),
    registered: Number(newest.registered),
    mails: {
      waiting: Number(newest.waiting),
      sent: Number(newest.sent),
      failed: Number(newest.failed),
    },
  };
}
