import type { Database } from '../../db/open';

/**
 * Notes that somebody's registration page was asked for; the first time counts. Those who only look
 * at a link, as mail scanners do, do not run the page, which asks.
 */
export async function noteOpened(userId: number, db: Database, now: number): Promise<void> {
  const noted = await db
    .selectFrom('invitations')
    .select('opened_at')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (noted?.opened_at != null) return;
  await db
    .insertInto('invitations')
    .values({ user_id: userId, opened_at: now })
    .onConflict((known) =>
      known
        .column('user_id')
        .doUpdateSet({ opened_at: now })
        .where('invitations.opened_at', 'is', null),
    )
    .execute();
}
