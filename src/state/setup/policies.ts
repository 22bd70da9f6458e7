/** What happens to messages that are not answered, as an administrator reads and changes it. */
import { call } from '../../api/call';
import { withIdempotencyKey } from '../../api/idempotency';
import { policies, policy } from '../../shared/contract/escalation' with { type: 'example' };
import type { NewPolicy, Policy, TargetProblem } from '../../shared/contract';

export const POLICIES_FAILED = 'Failed to fetch policies.';
export const POLICY_SAVE_FAILED = 'Failed to save the policy.';
export const POLICY_DELETE_FAILED = 'Failed to delete the policy.';

/** By name, with what steps can’t use now. @throws {ApiError} */
export async function readPolicies(): Promise<{
  policies: readonly Policy[];
  problems: readonly TargetProblem[];
}> {
  const answer = await call('GET /api/admin/policies', {
    fallback: POLICIES_FAILED,
    like: policies,
  });
  return { policies: answer.policies, problems: answer.problems ?? [] };
}

/** Adds a policy, once however often that is tried, or changes the one with this id. @throws {ApiError} */
export const savePolicy = (id: number | undefined, body: NewPolicy): Promise<Policy> =>
  id === undefined
    ? withIdempotencyKey('POST /api/admin/policies', body, (idempotencyKey) =>
        call('POST /api/admin/policies', {
          body,
          idempotencyKey,
          fallback: POLICY_SAVE_FAILED,
          like: policy,
        }),
      )
    : call('PUT /api/admin/policies/:id', {
        params: { id },
        body,
        fallback: POLICY_SAVE_FAILED,
        like: policy,
      });

/** Topics that have it have none then. @throws {ApiError} */
export const deletePolicy = (id: number): Promise<unknown> =>
  call('DELETE /api/admin/policies/:id', { params: { id }, fallback: POLICY_DELETE_FAILED });
