import type { Database } from './open';

/** How many heartbeats have an open alert. */
export async function countSilentHeartbeats(db: Database): Promise<number> {
  const { silent } = await db
    .selectFrom('heartbeats')
    .where('silent_at', 'is not', null)
    .select(({ fn }) => fn.countAll<number>().as('silent'))
    .executeTakeFirstOrThrow();
  return Number(silent);
}
