/** Who may send to a topic, beside administrators. */
import { call } from '../../api/call';
import type { Senders } from '../../shared/contract';
import { sendersSchema } from '../../shared/contract/senders' with { type: 'example' };

export const SENDERS_FAILED = 'Failed to load the senders.';
export const SENDERS_CHANGE_FAILED = 'Failed to change the senders.';

export interface SenderIds {
  userIds: readonly number[];
  teamIds: readonly number[];
}

export const readSenders = (topicId: number): Promise<Senders> =>
  call('GET /api/admin/topics/:id/senders', {
    params: { id: topicId },
    fallback: SENDERS_FAILED,
    like: sendersSchema,
  });

/**
 * Changes the server's current list: another person may have changed it.
 * @throws {ApiError}
 */
export async function changeSenders(
  change: 'add' | 'remove',
  topicId: number,
  { userIds, teamIds }: SenderIds,
): Promise<void> {
  const current = await readSenders(topicId);
  const applyChange = (had: readonly { id: number }[], ids: readonly number[]) => {
    const others = had.map(({ id }) => id).filter((id) => !ids.includes(id));
    return change === 'add' ? [...others, ...ids] : others;
  };
  await call('PUT /api/admin/topics/:id/senders', {
    params: { id: topicId },
    body: {
      userIds: applyChange(current.users, userIds),
      teamIds: applyChange(current.teams, teamIds),
    },
    fallback: SENDERS_CHANGE_FAILED,
    like: sendersSchema,
  });
}
