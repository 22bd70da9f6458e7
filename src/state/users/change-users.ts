/** An administrator's changes to users. */
import { call } from '../../api/call';
import { newUserSchema, userSchema } from '../../shared/contract/accounts' with { type: 'example' };
import { withIdempotencyKey } from '../../api/idempotency';
import type { Role, User } from '../../shared/contract';
import type { Language } from '../../shared/languages';

export const USER_ADD_FAILED = 'Failed to add user.';

/**
 * Adds a user; a retry is safe.
 * @returns the registration link
 */
export async function addUser({
  username,
  email,
  role,
  topicIds,
  language,
}: {
  username: string;
  email: string;
  role: Role;
  topicIds: readonly number[];
  language: Language | '';
}): Promise<string> {
  const body = {
    username,
    role,
    ...(email && { email }),
    ...(topicIds.length > 0 && { topicIds: [...topicIds] }),
    ...(language && { language }),
  };
  const response = await withIdempotencyKey('POST /api/admin/users', body, (idempotencyKey) =>
    call('POST /api/admin/users', {
      body,
      idempotencyKey,
      fallback: USER_ADD_FAILED,
      like: newUserSchema,
    }),
  );
  return response.registrationLink;
}

export const userChangeFailed = ({ username }: User): string => `Failed to change ${username}.`;

export async function changeUser(
  before: User,
  { username, email }: { username: string; email: string },
): Promise<void> {
  await call('PUT /api/admin/users/:id', {
    params: { id: before.id },
    body: { username, ...(email ? { email } : undefined) },
    fallback: userChangeFailed(before),
    like: userSchema,
  });
}

/**
 * Changes the language of people who have not registered.
 * @param language empty to let their browser decide
 */
export async function changeInvitationLanguage(
  before: User,
  language: Language | '',
): Promise<void> {
  await call('PUT /api/admin/users/:id/language', {
    params: { id: before.id },
    body: { language: language || null },
    fallback: userChangeFailed(before),
    like: userSchema,
  });
}

export const roleChangeFailed = ({ id }: User): string => `Failed to update role for user ${id}.`;

export async function changeRole(before: User, role: Role): Promise<void> {
  await call('PUT /api/admin/users/:id/role', {
    params: { id: before.id },
    body: { role },
    fallback: roleChangeFailed(before),
    like: userSchema,
  });
}

export const suspensionFailed = ({ username }: User, change: 'suspend' | 'reinstate'): string =>
  change === 'suspend' ? `Failed to suspend ${username}.` : `Failed to reinstate ${username}.`;

export async function changeSuspension(
  before: User,
  change: 'suspend' | 'reinstate',
): Promise<void> {
  await call(`POST /api/admin/users/:id/${change}`, {
    params: { id: before.id },
    fallback: suspensionFailed(before, change),
    like: userSchema,
  });
}

/** Whether the user may read messages, reachability, insights and the audit log. */
export async function changeAuditor(before: User, isAuditor: boolean): Promise<void> {
  await call('PUT /api/admin/users/:id/auditor', {
    params: { id: before.id },
    body: { isAuditor },
    fallback: userChangeFailed(before),
    like: userSchema,
  });
}

/** @param fallback names the user as people know it */
export const deleteUser = (id: number, fallback: string): Promise<unknown> =>
  call('DELETE /api/admin/users/:id', { params: { id }, fallback });
