/** Escalation policies, for administrators. */
import { call } from '../../api/call';
import { withIdempotencyKey } from '../../api/idempotency';
import { policiesSchema, policySchema } from '../../shared/contract/escalation' with {
  type: 'example',
};
import type { NewPolicy, Policy, TargetProblem } from '../../shared/contract';

export const POLICIES_FAILED = 'Failed to load policies.';
export const POLICY_SAVE_FAILED = 'Failed to save the policy.';
export const POLICY_DELETE_FAILED = 'Failed to delete the policy.';

/**
 * Reads the policies, sorted by name, and the problems of their steps.
 * @throws {ApiError}
 */
export async function readPolicies(): Promise<{
  policies: readonly Policy[];
  problems: readonly TargetProblem[];
}> {
  const response = await call('GET /api/admin/policies', {
    fallback: POLICIES_FAILED,
    like: policiesSchema,
  });
  return { policies: response.policies, problems: response.problems ?? [] };
}

/**
 * Adds a policy, or changes the policy with this id; a retry is safe.
 * @throws {ApiError}
 */
export const savePolicy = (id: number | undefined, body: NewPolicy): Promise<Policy> =>
  id === undefined
    ? withIdempotencyKey('POST /api/admin/policies', body, (idempotencyKey) =>
        call('POST /api/admin/policies', {
          body,
          idempotencyKey,
          fallback: POLICY_SAVE_FAILED,
          like: policySchema,
        }),
      )
    : call('PUT /api/admin/policies/:id', {
        params: { id },
        body,
        fallback: POLICY_SAVE_FAILED,
        like: policySchema,
      });

/**
 * Topics with this policy are left without one.
 * @throws {ApiError}
 */
export const deletePolicy = (id: number): Promise<unknown> =>
  call('DELETE /api/admin/policies/:id', { params: { id }, fallback: POLICY_DELETE_FAILED });
