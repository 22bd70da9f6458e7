/** The escalation policy that a message would use. */
import { readPolicies } from '../setup/policies';
import { readTopics } from '../topics/topics';

/** The topic whose policy applies if the message names none. */
export interface PolicyTopic {
  id: number;
  title: string;
  /** The policy's id: null for none, undefined while unknown. */
  policyId?: number | null;
}

/** How many topics with similar titles to look through. */
const MAX_TOPICS_SEARCHED = 25;
const DELETED_POLICY = 'a deleted policy';

/**
 * Finds the policy, and describes it: `Uses the policy of Grid outages: Night shift.`
 * @param policyId as in a message: null for none, undefined for the topic's
 * @throws {ApiError}
 */
export async function findPolicy(
  policyId: number | null | undefined,
  topic: PolicyTopic | undefined,
): Promise<{ text: string; policyId: number | null }> {
  if (policyId != null) return { text: await readPolicyName(policyId), policyId };
  if (policyId === null || !topic) return { text: 'None', policyId: null };
  const topicPolicyId = topic.policyId === undefined ? await findPolicyId(topic) : topic.policyId;
  const text =
    topicPolicyId === null
      ? `${topic.title} has no policy.`
      : `Uses the policy of ${topic.title}: ${await readPolicyName(topicPolicyId)}.`;
  return { text, policyId: topicPolicyId };
}

const readPolicyName = async (id: number): Promise<string> =>
  (await readPolicies()).policies.find((policy) => policy.id === id)?.name ?? DELETED_POLICY;

/** A server without policies sends none. */
async function findPolicyId({ id, title }: PolicyTopic): Promise<number | null> {
  const { rows } = await readTopics({ page: 1, limit: MAX_TOPICS_SEARCHED, query: title });
  return rows.find((topic) => topic.id === id)?.policyId ?? null;
}
