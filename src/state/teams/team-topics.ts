/** Which teams are subscribed to which topics. */
import { call } from '../../api/call';
import type { TopicTeams } from '../../shared/contract';
import { changedSchema } from '../../shared/contract/subscriptions' with { type: 'example' };
import { topicTeamsSchema } from '../../shared/contract/teams' with { type: 'example' };
import type { SubscriptionChange } from '../users/many-subscriptions';

export const TOPIC_TEAMS_FAILED = 'Failed to load teams.';
export const TEAM_SUBSCRIPTION_FAILED = {
  subscribe: 'Failed to subscribe the team.',
  unsubscribe: 'Failed to unsubscribe the team.',
};

const TEAM_SUBSCRIPTION_CALLS = {
  subscribe: 'POST /api/admin/topics/:id/teams',
  unsubscribe: 'DELETE /api/admin/topics/:id/teams',
} as const;

export const readTopicTeams = async (topicId: number): Promise<TopicTeams['teams']> =>
  (
    await call('GET /api/admin/topics/:id/teams', {
      params: { id: topicId },
      fallback: TOPIC_TEAMS_FAILED,
      like: topicTeamsSchema,
    })
  ).teams;

/**
 * Changes all of the teams or none.
 * @throws {ApiError}
 */
export const changeTopicTeams = (
  change: SubscriptionChange,
  topicId: number,
  teamIds: readonly number[],
): Promise<unknown> =>
  call(TEAM_SUBSCRIPTION_CALLS[change], {
    params: { id: topicId },
    body: { teamIds: [...teamIds] },
    fallback: TEAM_SUBSCRIPTION_FAILED[change],
    like: changedSchema,
  });
