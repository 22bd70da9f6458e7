/** Who is in a team. */
import { call } from '../../api/call';
import type { Member } from '../../shared/contract';
import { changedSchema } from '../../shared/contract/subscriptions' with { type: 'example' };
import { memberPageSchema } from '../../shared/contract/teams' with { type: 'example' };
import { attemptAll } from '../attempt-all';
import type { PageOf, PageRequest } from '../read-all-pages';

export const MEMBERS_FAILED = 'Failed to load members.';
export const MEMBERSHIP_FAILED = {
  add: 'Failed to add people to the team.',
  remove: 'Failed to remove people from the team.',
};
export type MembershipChange = keyof typeof MEMBERSHIP_FAILED;

const MEMBERSHIP_CALLS = {
  add: 'POST /api/admin/teams/:id/members',
  remove: 'DELETE /api/admin/teams/:id/members',
} as const;

export async function readMembers(id: number, query: PageRequest): Promise<PageOf<Member>> {
  const { members: rows, ...page } = await call('GET /api/admin/teams/:id/members', {
    params: { id },
    query,
    fallback: MEMBERS_FAILED,
    like: memberPageSchema,
  });
  return { rows, ...page };
}

/**
 * The server adds all of the people or none.
 * @returns how many needed no change
 * @throws {ApiError}
 */
export async function changeMembers(
  change: MembershipChange,
  id: number,
  userIds: readonly number[],
): Promise<number> {
  const { unchanged } = await call(MEMBERSHIP_CALLS[change], {
    params: { id },
    body: { userIds: [...userIds] },
    fallback: MEMBERSHIP_FAILED[change],
    like: changedSchema,
  });
  return unchanged;
}

/**
 * Puts a person into exactly these teams.
 * @throws {ApiError} the first reason if one failed
 */
export async function changeTeams(
  userId: number,
  before: readonly number[],
  after: readonly number[],
): Promise<void> {
  const changes = [
    ...after.filter((id) => !before.includes(id)).map((id) => ['add', id] as const),
    ...before.filter((id) => !after.includes(id)).map((id) => ['remove', id] as const),
  ];
  const { failed, firstError } = await attemptAll(changes, ([change, id]) =>
    changeMembers(change, id, [userId]),
  );
  if (failed.length > 0) throw firstError;
}
