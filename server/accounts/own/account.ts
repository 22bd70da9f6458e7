/** One's own account, as its person sees it. */
import type { OwnAccount } from '../../../src/shared/contract';
import type { UserRow } from '../../db/schema';
import type { Services } from '../../services';
import { readPendingEmail } from './pending-email';

export async function readAccount(user: UserRow, { db, now }: Services): Promise<OwnAccount> {
  const { id, username, email, role } = user;
  return {
    id,
    username,
    email,
    emailVerified: email !== null && user.email_verified_at !== null,
    pendingEmail: (await readPendingEmail(id, db, now())) ?? null,
    role,
    createdAt: new Date(user.created_at).toISOString(),
  };
}
