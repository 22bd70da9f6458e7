import type { OwnAccount } from '../../../src/shared/contract';
import type { UserRow } from '../../db/schema';
import type { Services } from '../../services';
import { hasPassword } from './confirm-password';
import { readPendingEmail } from './email';
import { readOwnRights } from './rights';
import { toTime } from '../../lib/clock';

export async function readAccount(
  user: UserRow,
  { db, now, config }: Services,
): Promise<OwnAccount> {
  const { id, username, email, role } = user;
  return {
    id,
    username,
    email,
    emailVerified: email !== null && user.email_verified_at !== null,
    pendingEmail: (await readPendingEmail(id, db, now())) ?? null,
    role,
    hasPassword: hasPassword(user, config),
    createdAt: toTime(user.created_at),
    language: user.language,
    ...(await readOwnRights(user, db)),
  };
}
