/** Rights that a person has besides their role, for responses. An absent field means no right. */
import { findCheckInSettings } from '../../db/check-in-settings';
import type { Database } from '../../db/open';
import type { UserRow } from '../../db/schema';
import { isTopicSender, readMaySendField } from '../../http/access/sender-rights';

interface OwnRights {
  maySend?: true;
  isAuditor?: true;
  mayCheckIn?: true;
  watchesCheckIns?: true;
}

export const readOwnRights = async (
  user: Pick<UserRow, 'id' | 'role' | 'is_auditor'>,
  db: Database,
): Promise<OwnRights> => ({
  ...(await readMaySendField(user, db)),
  ...(user.is_auditor === 1 && { isAuditor: true }),
  ...(await checkInRights(user, db)),
});

async function checkInRights(
  { id, role }: Pick<UserRow, 'id' | 'role'>,
  db: Database,
): Promise<Pick<OwnRights, 'mayCheckIn' | 'watchesCheckIns'>> {
  const settings = await findCheckInSettings(db);
  if (settings === undefined) return {};
  const { enabled, topic_id } = settings;
  // After check-ins are turned off, a running check-in still needs its answers.
  const mayCheckIn = enabled === 1 || (await isCheckedIn(id, db));
  const watches = role !== 'ADMIN' && topic_id !== null && (await isTopicSender(id, topic_id, db));
  return { ...(mayCheckIn && { mayCheckIn }), ...(watches && { watchesCheckIns: watches }) };
}

async function isCheckedIn(userId: number, db: Database): Promise<boolean> {
  const openCheckIns = db
    .selectFrom('check_ins')
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .select('id');
  return (await openCheckIns.executeTakeFirst()) !== undefined;
}
